import { formatRowError } from '@passport/contract/row-errors'
import type { ImportFile, PreviewRow, RowError } from '@passport/contract/user-imports'

interface ImportPreviewProps {
  file: ImportFile
  preview: PreviewRow[]
  errors: RowError[]
  /** The number of rows of the file. */
  rows: number
}

type ValueColumn = Exclude<keyof PreviewRow, 'line'>

/** The columns of a preview, and the columns of a file from which each may come. */
const sources: Record<ValueColumn, readonly string[]> = {
  username: ['username', 'signInName'],
  displayname: ['displayname', 'givenName', 'familyName'],
  email: ['email', 'signInName'],
  emailVerified: ['emailVerified'],
  disabled: ['disabled', 'enabled'],
  roles: ['roles'],
}

/** The first rows of a file as they would be imported, with invalid cells marked. */
export function ImportPreview({ file, preview, errors, rows }: ImportPreviewProps) {
  const errorsByLine = Map.groupBy(errors, ({ line }) => line)
  const columns = (Object.keys(sources) as ValueColumn[]).flatMap((column) => {
    const names = file.columns.filter((each) => sources[column].includes(each.column ?? '')).map(({ name }) => name)
    return names.length > 0 ? [{ column, names }] : []
  })
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
      <section aria-label="Preview" tabIndex={0} className="max-h-[420px] overflow-auto border-t border-line">
        <table className="w-full text-left text-[13px] [&_:is(td,th):first-child]:pl-[18px] [&_td]:max-w-56 [&_td]:truncate [&_td]:px-2.5 [&_td]:py-1.5 [&_th]:px-2.5 [&_th]:py-2 [&_th]:align-bottom [&_th]:font-[500] [&_th]:whitespace-nowrap [&_th]:text-ink3">
          <thead className="sticky top-0 bg-card">
            <tr>
              <th scope="col">Line</th>
              {errors.length > 0 && <th scope="col">Errors</th>}
              {columns.map(({ column, names }) => (
                <th key={column} scope="col">
                  {column}
                  {names.join() !== column && <span className="block text-[12px]">from {names.join(', ')}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.map((row) => {
              const found = errorsByLine.get(row.line) ?? []
              return (
                <tr key={row.line} className="border-t border-hair">
                  <td className="text-ink3">{row.line.toLocaleString('en')}</td>
                  {errors.length > 0 && (
                    <td className="min-w-52 whitespace-normal! text-bad">
                      {found.map((error, index) => (
                        <div key={index}>{formatWithColumn(error)}</div>
                      ))}
                    </td>
                  )}
                  {columns.map(({ column }) => {
                    const error = found.find((each) => sources[column].includes(each.column ?? ''))
                    const text = error?.value ?? formatValue(row[column])
                    return (
                      <td
                        key={column}
                        title={text}
                        className={
                          error ? 'bg-[color-mix(in_oklab,var(--bad)_10%,var(--card))] font-[560] text-bad' : ''
                        }
                      >
                        {text || <span className="text-ink3">–</span>}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      {preview.length < rows && (
        <p className="border-t border-line px-4 py-2.5 text-[13px] text-ink3 sm:px-[18px]">
          {preview.length.toLocaleString('en')} of {rows.toLocaleString('en')} rows
        </p>
      )}
    </>
  )
}

const formatValue = (value: PreviewRow[ValueColumn]) =>
  Array.isArray(value) ? value.join(' ') : value === null ? '' : String(value)

const formatWithColumn = ({ header, column, code }: RowError) =>
  `${column ? `${header ?? column}: ` : ''}${formatRowError(code)}`
