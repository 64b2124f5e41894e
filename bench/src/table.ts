/** What was measured, the figure, and the goal with whether it is met, where there is one. */
export type Row = [what: string, figure: string, goal?: string, isMet?: boolean]

/** The rows in columns, for a terminal. */
export function table(rows: Row[]): string {
  const width = Math.max(...rows.map(([what]) => what.length)) + 3
  return rows
    .map(([what, figure, goal, isMet]) => {
      const verdict = goal ? `   ${isMet ? 'within' : 'MISSED'} ${goal}` : ''
      return what.padEnd(width) + figure.padStart(9) + verdict
    })
    .join('\n')
}
