import { parseSchema, printExpression } from '@passport/permissions'
import { Fragment } from 'react'
import { highlight } from './highlight.ts'
import { SchemaLine } from './SchemaLine.tsx'

const frame = '@container overflow-x-auto border-t border-line px-5 py-4'

/** A highlighted schema; where operators are combined, their reading by SpiceDB's precedence is shown. */
export function SchemaText({ text }: { text: string }) {
  const readings = findReadings(text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section tabIndex={0} aria-label="Schema text" className={frame}>
      <pre className="w-max min-w-full font-mono text-[13px] leading-[1.6]">
        {highlight(text).map((pieces, index) => {
          const reading = readings.get(index + 1)
          return (
            <span key={index} className="block sm:flex sm:items-baseline sm:gap-4">
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

/** Beside the line, or below it within the visible width if there is no room. */
function Reading({ text }: { text: string }) {
  return (
    <span className="rounded-[5px] bg-selection px-1.5 text-[12px] text-ink2 max-sm:sticky max-sm:left-0 max-sm:my-0.5 max-sm:block max-sm:w-fit max-sm:max-w-[100cqw] max-sm:whitespace-pre-wrap max-sm:[overflow-wrap:anywhere]">
      <span className="font-sans">read as</span>
      {text.split(' ').map((word, index) => (
        <Fragment key={index}>
          {' '}
          <span className="inline-block max-w-full">{word}</span>
        </Fragment>
      ))}
    </span>
  )
}

/** Returns the readings that need parentheses, by the last line of the expression. */
function findReadings(text: string): Map<number, string> {
  try {
    const permissions = parseSchema(text).definitions.flatMap(({ permissions }) => permissions)
    return new Map(
      permissions
        .map(({ expression, span }) => [span.end.line, printExpression(expression, { parenthesised: true })] as const)
        .filter(([, reading]) => reading.includes(' (') || reading.startsWith('(')),
    )
  } catch {
    // Written by a version with another syntax: shown as it is.
    return new Map()
  }
}
