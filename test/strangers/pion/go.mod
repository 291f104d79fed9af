module parley/pion

go 1.19
