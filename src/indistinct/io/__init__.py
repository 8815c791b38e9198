"""Doors to data: data frames and files in and out. Only this room knows data-frame libraries."""
