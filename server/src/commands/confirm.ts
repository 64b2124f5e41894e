import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'

/** Asks for a confirmation on the terminal, and reports whether the user typed `yes`. */
export async function confirmOnTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // A question is never answered if the terminal closes (Ctrl-D).
  const closed = once(terminal, 'close').then(() => '')
  const answer = await Promise.race([terminal.question(`${question} Type yes: `), closed])
  terminal.close()
  return answer.trim() === 'yes'
}
