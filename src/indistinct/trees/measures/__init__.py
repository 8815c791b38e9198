"""What a release of tree records lost: RPD, mining loss, values and relations kept."""
