#!/bin/bash
# Train the champion until it has had $1 minutes, of $2 in which it cools down; $3 is a checkpoint to go on from, or "-";
# what follows are options of the trainer. Runs eagerly if compiling hangs.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONPATH=src/liars_dice/learn
export PYTHONUNBUFFERED=1
deadline=$(( $(date +%s) + $(python3 -c "print(int($1*60+25))") ))
mkdir -p ${OUT:-out}/run; [ "$3" != - ] && cp "$3" ${OUT:-out}/run/last.pt
options="--out ${OUT:-out}/run --device cuda --minutes $1 --schedule-minutes $2 --games 131072 --steps 16 ${*:4}"
python3 -m champion.train $options --compiled > ${OUT:-out}/log.txt 2>&1 &
process=$!
for i in $(seq 110); do
  sleep 1
  [ -s ${OUT:-out}/run/curve.jsonl ] && break
  kill -0 $process 2>/dev/null || break
done
if [ ! -s ${OUT:-out}/run/curve.jsonl ]; then
  echo "compiling did not finish: going on without"; tail -c 1500 ${OUT:-out}/log.txt; kill -9 $process
  [ "$3" != - ] && cp "$3" ${OUT:-out}/run/last.pt
  python3 -m champion.train $options > ${OUT:-out}/log.txt 2>&1 &
  process=$!
fi
while kill -0 $process 2>/dev/null && [ $(date +%s) -lt $deadline ]; do sleep 1; done
kill -TERM $process 2>/dev/null; wait $process
cut -c1-330 ${OUT:-out}/log.txt | awk 'NR%4==1' | tail -25; tail -n 2 ${OUT:-out}/log.txt | cut -c1-420
