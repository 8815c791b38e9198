"""Files as such: strangers' documents read with care, outputs drafted and put in their places."""
