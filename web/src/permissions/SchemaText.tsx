import { parseSchema } from '@passport/permissions/parse'
import { printExpression } from '@passport/permissions/print'
import { Fragment } from 'react'
import { highlight } from './highlight.ts'
import { SchemaLine } from './SchemaLine.tsx'

const frame = '@container overflow-x-auto border-t border-line px-5 py-4'

/** A schema to be read: highlighted, and where operators meet, how SpiceDB's precedence reads them. */
export function SchemaText({ text }: { text: string }) {
  const readings = readingsOf(text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section tabIndex={0} aria-label="Text of the schema" className={frame}>
      <pre className="w-max min-w-full font-mono text-[13px] leading-[1.6]">
        {highlight(text).map((pieces, at) => {
          const reading = readings.get(at + 1)
          return (
            <span key={at} className="block sm:flex sm:items-baseline sm:gap-4">
              <span className="block">
                <SchemaLine pieces={pieces} />
                {'\n'}
              </span>
              {reading && <Reading text={reading} />}
            </span>
          )
        })}
      </pre>
    </section>
  )
}

/** Beside the line, or where there is no room for that below it, as wide as is seen. */
function Reading({ text }: { text: string }) {
  return (
    <span className="rounded-[5px] bg-selection px-1.5 text-[12px] text-ink2 max-sm:sticky max-sm:left-0 max-sm:my-0.5 max-sm:block max-sm:w-fit max-sm:max-w-[100cqw] max-sm:whitespace-pre-wrap max-sm:[overflow-wrap:anywhere]">
      <span className="font-sans">read as</span>
      {text.split(' ').map((word, at) => (
        <Fragment key={at}>
          {' '}
          <span className="inline-block max-w-full">{word}</span>
        </Fragment>
      ))}
    </span>
  )
}

/** By the line on which an expression ends: how it is read, where that takes parentheses. */
function readingsOf(text: string): Map<number, string> {
  try {
    const permissions = parseSchema(text).definitions.flatMap(({ permissions }) => permissions)
    return new Map(
      permissions
        .map(({ expression, span }) => [span.end.line, printExpression(expression, { parenthesised: true })] as const)
        .filter(([, reading]) => reading.includes(' (') || reading.startsWith('(')),
    )
  } catch {
    // Another version wrote what ours cannot read: it is shown as it is.
    return new Map()
  }
}
