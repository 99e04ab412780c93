# Resident memory of one process over its cycles, against the bound of 1 MiB.
set title "Native lock/unlock cycles in one process: growth of resident memory"
set xlabel "lock + unlock cycles (thousands)"
set ylabel "RSS since the first sample (KiB)"
set yrange [0:1150]
set format x "%.0f"
plot 1024 with lines linecolor rgb stopped_colour dashtype 2 linewidth 2 title "bound: 1 MiB", \
     data using ($1/1000):2 with lines linecolor rgb native_colour linewidth 2 title "native"
