/** Long chains of small work let others have their turn, a ping for one: timers and sockets wait for the end of a chain. */

/** What a thread works at most before it looks who else is there. */
const TURN_MS = 3;

let turnBegan: number | undefined;

/** Whether this turn of the event loop has taken long. It begins with the first to ask. */
export function isLongTurn(): boolean {
  if (turnBegan === undefined) {
    turnBegan = performance.now();
    setImmediate(() => {
      turnBegan = undefined;
    });
  }
  return performance.now() - turnBegan >= TURN_MS;
}

/** The next turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
