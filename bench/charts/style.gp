# What all charts share: SVG, quiet axes, and three colours that stand out on white and on black.
# The three light colours named here are the ones that src/Charts.php swaps in the dark.
ink = "#1f2328"
grid = "#d0d7de"
limit_colour = "#8b949e"
native_colour = "#2f81f7"
userland_colour = "#e0823d"
healthy_colour = "#3fa45b"
stopped_colour = "#d1495b"

look = 'dynamic font "sans-serif,13" background "#ffffff"'
set terminal svg size 760,420 @look
set output chart
set datafile separator "\t"
set datafile missing "?"
set encoding utf8
set border 3 linecolor rgb ink
set tics nomirror textcolor rgb ink
set grid ytics linecolor rgb grid linetype 1 linewidth 1
set title font ",15" textcolor rgb ink
set key outside top center horizontal textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set style fill solid 1.0 noborder
set boxwidth 0.24

# Three bars a group, one a contender, each with its value above it; the group's name below.
contender(k) = word("limit native userland", k+1)
contender_colour(k) = word(limit_colour." ".native_colour." ".userland_colour, k+1)
place(row, k) = row+(k-1)*0.27
