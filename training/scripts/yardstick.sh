#!/bin/bash
# Does the yardstick find weaknesses? Train a plain self-play champion (entropy 0.06 falling to 0.004, no magnet, no average,
# one temperature for all tables, rule bots in 30% of the games), then exploiters of it heads-up and at six seats, side by
# side; each plays 20,000 games against it. They must win 85% and 38%. About 550 seconds of one H200; what they learned
# lies in $OUT. DEVICE=cpu VICTIM=0.1 TWO=0.1 SIX=0.1 GAMES=64 MEASURED=50 MORE="--face-width 16 ..." tries it in small.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONPATH=src/liars_dice/learn PYTHONUNBUFFERED=1
out=${OUT:-out}; device=${DEVICE:-cuda}; begun=$(date +%s); work=$(mktemp -d); mkdir -p $out $work/victim
passed() { echo "== $1 after $(( $(date +%s) - begun )) s"; }
[ $device = cuda ] && compiled=--compiled
timeout --foreground -s TERM 285 python3 -m champion.train --out $work/victim --device $device $compiled --minutes ${VICTIM:-3.9} \
  --games ${GAMES:-65536} --steps 16 --minibatch 16384 --learning-rate 1e-3 1e-4 --entropy 0.06 0.004 --magnet 0 0 --average 0 \
  --sharpness 0 --bots 0.3 --players 2 6 --full-games 0.5 --endgames 0 --restart 0 --wild-ones 1 --exact-calls 1 --tournament 0 \
  --palifico 0 --open-on-ones 1 --exact-costs-bidder 1 --save-every 1000 $MORE > $work/victim.txt 2>&1
passed "the victim is trained"; awk 'NR%6==1' $work/victim.txt | cut -c1-420; tail -n 2 $work/victim.txt | cut -c1-420
cp $work/victim/last.pt $out/victim.pt; cp $work/victim/curve.jsonl $out/victim.curve.jsonl
cp $out/victim.pt $work/victim.pt; cp $out/victim.pt $work/victim-two.pt  # one network plays every table
mkdir $work/two $work/six
OUT=$work/two MINUTES=${TWO:-2.6} bash training/scripts/exploiters.sh $work/victim 250 2:1 > $work/two.txt 2>&1 &
OUT=$work/six MINUTES=${SIX:-4.3} MORE="--minibatch 8192 --passes 2 $MORE" \
  bash training/scripts/exploiters.sh $work/victim 300 6:1 > $work/six.txt 2>&1 &
wait
passed "the exploiters are measured"; cat $work/two.txt $work/six.txt
for table in two six; do
  cp $work/$table/exploiter*.pt $out/; cp $work/$table/curves.tgz $out/curves-$table.tgz
  cat $work/$table/results.jsonl >> $out/results.jsonl
done
