# Left: turns per second, of at most 200 with a hold of 5 ms. Right: what each costs the servers.
set terminal svg size 1000,420 @look
set multiplot layout 1,2
set xrange [-0.6:2.6]
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
axis(q) = q == 0 ? "locks per second" : "commands sent per lock, to all servers"
do for [q=0:1] {
  set title "100 processes contending: ".(q == 0 ? "locks per second" : "commands per lock")
  set ylabel axis(q)
  plot data using 0:(0):xticlabels(1) with impulses linecolor rgb ink notitle, \
       for [k=0:2] data using (place($0, k)):(column(2+2*k+q)) with boxes \
         linecolor rgb contender_colour(k) title contender(k), \
       for [k=0:2] data using (place($0, k)):(column(2+2*k+q)):(sprintf(q == 0 ? "%.0f" : "%.1f", column(2+2*k+q))) with labels \
         offset 0,0.6 font ",11" textcolor rgb ink notitle
}
unset multiplot
