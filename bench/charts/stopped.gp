# lock() with all five servers healthy and with one of them stopped, side by side.
set title "lock() on five servers, one of them stopped"
set ylabel "time per lock() (µs)"
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set xrange [-0.6:3.6]
state(k) = k == 0 ? "healthy" : "one stopped"
state_colour(k) = k == 0 ? healthy_colour : stopped_colour
beside(row, k) = row+(k-0.5)*0.3
plot data using 0:(0):xticlabels(1) with impulses linecolor rgb ink notitle, \
     for [k=0:1] data using (beside($0, k)):(column(2+k)) with boxes \
       linecolor rgb state_colour(k) title state(k), \
     for [k=0:1] data using (beside($0, k)):(column(2+k)):(sprintf("%.0f", column(2+k))) with labels \
       offset 0,0.6 font ",11" textcolor rgb ink notitle
