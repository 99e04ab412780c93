# One bar each: a bare round trip, and lock() of every contender through the same proxy.
set title "lock() on five servers behind 1 ms each way, p50"
set ylabel "time per lock() (ms)"
set yrange [0:*]
set offsets 0, 0, graph 0.06, 0
set xrange [-0.6:3.6]
unset key
set boxwidth 0.5
plot data using 0:2:xticlabels(1) with boxes linecolor rgb healthy_colour, \
     for [k=0:2] data using ($0+k+1):2 every ::(k+1)::(k+1) with boxes linecolor rgb contender_colour(k), \
     data using 0:2:(sprintf("%.2f", $2)) with labels offset 0,0.7 textcolor rgb ink
