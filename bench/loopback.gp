# Bars of the p50 (left) and the p99 (right) of one lock+unlock, three contenders a group; each bar has its value above it.
# The three light colours ink, grid and white are the ones that src/Chart.php swaps in the dark.
ink = "#1f2328"
grid = "#d0d7de"
contender(k) = word("limit native userland", k+1)
contender_colour(k) = word("#8b949e #2f81f7 #e0823d", k+1)
place(row, k) = row+(k-1)*0.27

set terminal svg size 1000,420 dynamic font "sans-serif,13" background "#ffffff"
set output chart
set datafile separator "\t"
set encoding utf8
set border 3 linecolor rgb ink
set tics nomirror textcolor rgb ink
set grid ytics linecolor rgb grid linetype 1 linewidth 1
set title font ",15" textcolor rgb ink
set key outside top center horizontal textcolor rgb ink
set style fill solid 1.0 noborder
set boxwidth 0.24
set ylabel "time per lock + unlock (µs)" textcolor rgb ink
set xrange [-0.6:3.6]
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set multiplot layout 1,2
do for [q=0:1] {
  set title "Uncontended lock + unlock on loopback: ".word("p50 p99", q+1)
  plot data using 0:(0):xticlabels(1) with impulses linecolor rgb ink notitle, \
       for [k=0:2] data using (place($0, k)):(column(2+2*k+q)) with boxes \
         linecolor rgb contender_colour(k) title contender(k), \
       for [k=0:2] data using (place($0, k)):(column(2+2*k+q)):(sprintf("%.0f", column(2+2*k+q))) with labels \
         offset 0,0.6 font ",11" textcolor rgb ink notitle
}
unset multiplot
