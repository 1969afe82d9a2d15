// examples/protocol_bot.js: a complete bot in JavaScript. Watch it play: liars-dice watch "cmd:node examples/protocol_bot.js" optimal
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function choose(view) {
  if (view.current_bid !== null) {
    const [quantity, face] = view.current_bid.split("x").map(Number);
    const mine = view.my_dice.filter((die) => die === face || die === view.wild_face).length;
    if (3 * (quantity - mine) > view.other_dice) {
      return ["liar", `${quantity - mine} of ${view.other_dice} other dice is too many`];
    }
  }
  return [view.legal_actions[0], ""];
}

say({ type: "ready", name: "careful" });
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "choose") {
      const [action, reasoning] = choose(message.view);
      say({ type: "action", id: message.id, action, reasoning });
    } else if (message.type === "game_end") {
      say({ type: "done", id: message.id });
    }
  });
