import { parseSchema, printExpression } from '@passport/permissions'
import { Pencil } from 'lucide-react'
import { Fragment, Suspense, useEffect, useRef, useState } from 'react'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { useWhatIf } from '../permissions/what-if.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { SchemaDiagram } from './SchemaDiagram.tsx'
import { highlight, SchemaLine } from './SchemaLine.tsx'

const Editor = lazyPart(async () => (await import('./SchemaEditor.tsx')).SchemaEditor)

const views = [
  { value: 'diagram', label: 'Diagram' },
  { value: 'text', label: 'Text' },
] as const

/** The schema as a diagram or as text, with an editor on request. */
export function SchemaCard({ schema }: { schema: SchemaWithETag }) {
  const [draft, setDraft] = useState<string>()
  const [view, setView] = useState<'diagram' | 'text'>('diagram')
  const whatIfSchema = useWhatIf()?.schema
  const isEdited = draft !== undefined && draft !== schema.text
  const edit = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  const isOpen = draft !== undefined
  useEffect(() => {
    if (wasOpen.current && !isOpen) edit.current?.focus({ preventScroll: true })
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <Card
      title="Schema"
      description={draft !== undefined && 'You review the effect before saving.'}
      action={
        draft === undefined && (
          <div className="flex flex-wrap gap-1">
            <Segmented label="Schema view" value={view} options={views} onChange={setView} />
            <CopyButton text={schema.text} label="Copy schema" />
            {whatIfSchema !== undefined && (
              <Button isSmall onClick={() => setDraft(whatIfSchema)}>
                Edit draft
              </Button>
            )}
            <Button ref={edit} isSmall onClick={() => setDraft(schema.text)}>
              <Pencil size={15} aria-hidden="true" />
              Edit
            </Button>
          </div>
        )
      }
    >
      {draft === undefined ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
        <section tabIndex={0} aria-label={`Schema ${view}`} className={view === 'diagram' ? diagramFrame : textFrame}>
          {view === 'text' ? <SchemaText text={schema.text} /> : <SchemaDiagram schema={schema} />}
        </section>
      ) : (
        <Suspense fallback={<Skeleton label="Loading editor" rows={8} rowClass="h-5" />}>
          <Editor schema={schema} draft={draft} onChange={setDraft} onClose={() => setDraft(undefined)} />
        </Suspense>
      )}
      <LeaveGuard hasChanges={() => isEdited}>Your changes to the schema will be lost.</LeaveGuard>
    </Card>
  )
}

/** As high as the window allows, so that the page fits into it. */
const frame = '@container overflow-auto border-t border-line px-5 py-4'
const textFrame = `${frame} h-[max(20rem,calc(100dvh-15rem))] max-sm:h-[22rem]`

/** Lower, as most schemas have few types. */
const diagramFrame = `${frame} grid max-sm:min-h-[168px] sm:h-[clamp(20rem,calc(100dvh-15rem),26rem)]`

/** A highlighted schema. Expressions with several operators have a note with their precedence in SpiceDB. */
function SchemaText({ text }: { text: string }) {
  const readings = findReadings(text)
  return (
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
  )
}

/** A note beside its line; on small screens below it, within the visible width. */
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

/** Returns the expressions whose precedence needs parentheses, written with them, by the last line of each. */
function findReadings(text: string): Map<number, string> {
  try {
    const permissions = parseSchema(text).definitions.flatMap(({ permissions }) => permissions)
    return new Map(
      permissions
        .map(({ expression, span }) => [span.end.line, printExpression(expression, { parenthesised: true })] as const)
        .filter(([, reading]) => reading.includes(' (') || reading.startsWith('(')),
    )
  } catch {
    // A schema in a syntax that this version cannot parse has no notes.
    return new Map()
  }
}
