import { formatCsvLine } from '@passport/contract/csv'

/** Downloads a table as a file. */
export function saveCsv(name: string, lines: readonly (readonly string[])[]): void {
  const url = URL.createObjectURL(new Blob(lines.map(formatCsvLine), { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
