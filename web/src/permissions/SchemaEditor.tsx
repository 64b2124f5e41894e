import type { SchemaProblem } from '@passport/permissions/fault'
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { highlight } from './highlight.ts'
import { SaveSchema } from './SaveSchema.tsx'
import { SchemaLine } from './SchemaLine.tsx'
import type { KnownSchema } from './schema.ts'
import { problemsOf } from './schema-problems.ts'
import { supposeToo } from './supposition.ts'

interface SchemaEditorProps {
  schema: KnownSchema
  draft: string
  onChange: (draft: string) => void
  /** Saved, or thrown away. */
  onClose: () => void
}

/** A text area over its own highlighting; what is wrong is told while it is typed. */
export function SchemaEditor({ schema, draft, onChange, onClose }: SchemaEditorProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const shown = useRef<HTMLPreElement>(null)
  const [isSaving, setSaving] = useState(false)
  const settled = useDeferredValue(draft)
  const problems = useMemo(() => problemsOf(settled, schema.text), [settled, schema.text])
  const wrongLines = useMemo(() => new Set(problems.map(({ span }) => span.start.line)), [problems])
  const lines = useMemo(() => highlight(draft, settled === draft ? problems : []), [draft, settled, problems])
  const text = 'col-start-1 row-start-1 px-5 py-4 font-mono text-[13px] leading-[1.6] whitespace-pre'

  // The button that opened it is gone, and the focus of a keyboard with it.
  useEffect(() => {
    area.current?.setSelectionRange(0, 0)
    area.current?.focus({ preventScroll: true })
  }, [])

  function goTo({ span }: SchemaProblem) {
    area.current?.focus({ preventScroll: true })
    area.current?.setSelectionRange(span.start.offset, span.start.offset)
    const line = shown.current?.children[span.start.line - 1]
    const place = line?.querySelector('[data-wrong]') ?? line
    place?.scrollIntoView({ block: 'center', inline: 'nearest' })
  }

  return (
    <>
      <div
        id={id}
        aria-live="polite"
        className="sticky top-14 z-10 max-h-40 overflow-y-auto border-t border-line bg-card px-5 py-2.5"
      >
        {problems.length === 0 ? (
          <p className="text-ink2">{draft === schema.text ? 'Nothing is changed.' : 'It can be read.'}</p>
        ) : (
          <ul className="grid gap-1.5">
            {problems.map((problem) => (
              <li key={`${problem.span.start.offset} ${problem.message}`} className="flex flex-wrap gap-x-3">
                <button type="button" className="link min-h-[24px] shrink-0" onClick={() => goTo(problem)}>
                  Line {problem.span.start.line}, column {problem.span.start.column}
                </button>
                <span className="text-bad">{problem.message}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="max-h-[70vh] overflow-auto border-y border-line bg-well focus-within:outline-2 focus-within:outline-stamp">
        <div className="grid w-max min-w-full">
          <pre ref={shown} aria-hidden="true" className={text}>
            {lines.map((pieces, at) => (
              <span key={at} className={`-mx-5 block px-5 ${wrongLines.has(at + 1) ? wrongLine : ''}`}>
                <SchemaLine pieces={pieces} />
                {'\n'}
              </span>
            ))}
          </pre>
          <textarea
            ref={area}
            aria-label="Schema"
            aria-describedby={id}
            aria-invalid={problems.length > 0 || undefined}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            wrap="off"
            className={`${text} resize-none overflow-hidden bg-transparent text-transparent caret-ink outline-none selection:bg-stamp selection:text-paper`}
            value={draft}
            onChange={({ target }) => onChange(target.value)}
          />
        </div>
      </div>
      <div className="px-5 py-4">
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{draft === schema.text ? 'Close' : 'Discard'}</Button>
          <Button
            disabled={draft === schema.text || problems.length > 0}
            onClick={() => {
              supposeToo({ schema: draft })
              onClose()
            }}
          >
            Suppose it
          </Button>
          <Button
            look="primary"
            disabled={draft === schema.text || problems.length > 0}
            onClick={() => setSaving(true)}
          >
            Review changes
          </Button>
        </div>
      </div>
      <SaveSchema isOpen={isSaving} schema={schema} draft={draft} onClose={() => setSaving(false)} onSaved={onClose} />
    </>
  )
}

const wrongLine = 'bg-card shadow-[inset_4px_0_0_var(--bad),inset_0_0_0_1px_var(--bad)]'
