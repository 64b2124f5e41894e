/** The label, the figure, and optionally the goal and whether it is met. */
export type Row = [label: string, figure: string, goal?: string, isMet?: boolean]

/** Formats the rows in columns, for a terminal. */
export function formatTable(rows: Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length)) + 3
  return rows
    .map(([label, figure, goal, isMet]) => {
      const verdict = goal ? `   ${isMet ? 'within' : 'MISSED'} ${goal}` : ''
      return label.padEnd(width) + figure.padStart(9) + verdict
    })
    .join('\n')
}
