# How long a request waited for its lock: share of requests over time, one panel a group.
set terminal svg size 1100,400 @look
set multiplot layout 1,3
set yrange [0:100]
set xrange [0:*]
set key inside bottom right vertical Left reverse samplen 2
set grid xtics ytics
set ylabel "requests that hold the lock by then (%)"
set xlabel "wait (s)"
do for [g=0:2] {
  set title "Waits of 100 processes: ".word("N=1 N=3 PidLock", g+1)
  plot for [k=0:2] data using (column(2+3*g+k)):1 with lines linewidth 2 \
    linecolor rgb contender_colour(k) title contender(k)
}
unset multiplot
