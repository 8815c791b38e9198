"""Tree-shaped records: k^(m,n)-anonymity (Gkountouna and Terrovitis)."""
