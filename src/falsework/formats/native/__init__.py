"""Our own format, `falsework-assembly/1`."""
