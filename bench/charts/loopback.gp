# Bars of the p50 (left) and the p99 (right) of one lock+unlock, three contenders a group.
set terminal svg size 1000,420 @look
set multiplot layout 1,2
set ylabel "time per lock + unlock (µs)"
set xrange [-0.6:3.6]
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
do for [q=0:1] {
  set title "Uncontended lock + unlock on loopback: ".word("p50 p99", q+1)
  plot data using 0:(0):xticlabels(1) with impulses linecolor rgb ink notitle, \
       for [k=0:2] data using (place($0, k)):(column(2+2*k+q)) with boxes \
         linecolor rgb contender_colour(k) title contender(k), \
       for [k=0:2] data using (place($0, k)):(column(2+2*k+q)):(sprintf("%.0f", column(2+2*k+q))) with labels \
         offset 0,0.6 font ",11" textcolor rgb ink notitle
}
unset multiplot
