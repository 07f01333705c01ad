"""Tests of `falsework.geometry`."""
