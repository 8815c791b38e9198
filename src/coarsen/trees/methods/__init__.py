"""Methods that make tree records k^(m,n)-anonymous, one file each."""
