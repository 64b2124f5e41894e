import type { RowError } from '@passport/contract/user-imports'
import { useMemo } from 'react'
import { previewRows } from './import-preview.ts'
import { formatRowError } from './import-texts.ts'

interface ImportPreviewProps {
  text: string
  errors: RowError[]
  /** The number of rows of the file. */
  rows: number
}

/** The first rows of a file, with invalid cells marked. */
export function ImportPreview({ text, errors, rows }: ImportPreviewProps) {
  const preview = useMemo(() => previewRows(text, errors), [text, errors])
  const hasErrors = errors.length > 0
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
      <section aria-label="Preview" tabIndex={0} className="max-h-[420px] overflow-auto border-t border-line">
        <table className="w-full text-left text-[13px] [&_:is(td,th):first-child]:pl-[18px] [&_td]:max-w-56 [&_td]:truncate [&_td]:px-2.5 [&_td]:py-1.5 [&_th]:px-2.5 [&_th]:py-2 [&_th]:font-[500] [&_th]:whitespace-nowrap [&_th]:text-ink3">
          <thead className="sticky top-0 bg-card">
            <tr>
              <th scope="col">Line</th>
              {preview.header.map((name, index) => (
                <th key={index} scope="col">
                  {name}
                </th>
              ))}
              {hasErrors && <th scope="col">Error</th>}
            </tr>
          </thead>
          <tbody>
            {preview.rows.map(({ line, cells, error }) => (
              <tr key={line} className="border-t border-hair">
                <td className="text-ink3">{line.toLocaleString('en')}</td>
                {preview.header.map((_, index) => (
                  <td
                    key={index}
                    title={cells[index]}
                    className={
                      error?.column === index
                        ? 'bg-[color-mix(in_oklab,var(--bad)_10%,var(--card))] font-[560] text-bad'
                        : ''
                    }
                  >
                    {cells[index] || <span className="text-ink3">–</span>}
                  </td>
                ))}
                {hasErrors && <td className="max-w-none! text-bad">{error && formatRowError(error.code)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {preview.rows.length < rows && (
        <p className="border-t border-line px-4 py-2.5 text-[13px] text-ink3 sm:px-[18px]">
          {preview.rows.length.toLocaleString('en')} of {rows.toLocaleString('en')} rows
        </p>
      )}
    </>
  )
}
