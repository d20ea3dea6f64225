#!/bin/sh
# A sweep of settings: sweep/ has a manifest for each. `sweep.sh --rounds 50` plays fifty pairs of games between every two.
arena plan --bots 30 --margin 60 --minutes 5
arena tournament --bots sweep --name sweep "$@"
arena standings sweep --family-wise > table.txt
arena plan --from results/sweep --margin 40
arena standings sweep --latex > standings.tex
arena standings sweep --svg plots --by c
arena rerun results/sweep --bots sweep --results reruns
