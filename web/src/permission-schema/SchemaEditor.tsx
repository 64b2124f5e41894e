import { ApiError } from '@passport/contract/call'
import { diffPermissionSchema, putPermissionSchema } from '@passport/contract/permissions'
import type { SchemaProblem } from '@passport/permissions'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportWithUndo } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { findSchemaProblems } from '../permissions/schema-text.ts'
import { extendWhatIf } from '../permissions/what-if.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Differences } from './Differences.tsx'
import { highlight, SchemaLine } from './SchemaLine.tsx'

interface SchemaEditorProps {
  schema: SchemaWithETag
  draft: string
  onChange: (draft: string) => void
  /** Called after saving or discarding. */
  onClose: () => void
}

/** A text area over its highlighted text. Problems are listed while the user types. */
export function SchemaEditor({ schema, draft, onChange, onClose }: SchemaEditorProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const overlay = useRef<HTMLPreElement>(null)
  const [isSaving, setSaving] = useState(false)
  const deferredDraft = useDeferredValue(draft)
  const problems = useMemo(() => findSchemaProblems(deferredDraft, schema.text), [deferredDraft, schema.text])
  const errorLines = useMemo(() => new Set(problems.map(({ span }) => span.start.line)), [problems])
  const lines = useMemo(
    () => highlight(draft, deferredDraft === draft ? problems : []),
    [draft, deferredDraft, problems],
  )
  const text = 'col-start-1 row-start-1 px-5 py-4 font-mono text-[13px] leading-[1.6] whitespace-pre'

  // The Edit button has disappeared, and the focus with it.
  useEffect(() => {
    area.current?.setSelectionRange(0, 0)
    area.current?.focus({ preventScroll: true })
  }, [])

  function goTo({ span }: SchemaProblem) {
    area.current?.focus({ preventScroll: true })
    area.current?.setSelectionRange(span.start.offset, span.start.offset)
    const line = overlay.current?.children[span.start.line - 1]
    const element = line?.querySelector('[data-wrong]') ?? line
    element?.scrollIntoView({ block: 'center', inline: 'nearest' })
  }

  return (
    <>
      <div
        id={id}
        aria-live="polite"
        className="sticky top-13 z-10 max-h-40 overflow-y-auto border-t border-line bg-card px-5 py-2.5"
      >
        {problems.length === 0 ? (
          <p className="text-ink2">{draft === schema.text ? 'No changes' : 'Valid schema'}</p>
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
          <pre ref={overlay} aria-hidden="true" className={text}>
            {lines.map((pieces, index) => (
              <span key={index} className={`-mx-5 block px-5 ${errorLines.has(index + 1) ? errorLineClass : ''}`}>
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
              extendWhatIf({ schema: draft })
              onClose()
            }}
          >
            Try without saving
          </Button>
          <Button
            variant="primary"
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

const errorLineClass = 'bg-card shadow-[inset_4px_0_0_var(--bad),inset_0_0_0_1px_var(--bad)]'

interface SaveSchemaProps {
  isOpen: boolean
  schema: SchemaWithETag
  draft: string
  onClose: () => void
  onSaved: () => void
}

/** Shows the effect of another schema and saves it, unless the stored schema has changed. */
function SaveSchema({ isOpen, ...rest }: SaveSchemaProps) {
  return (
    <Dialog isOpen={isOpen} onClose={rest.onClose} title="Review schema changes" className="w-[720px]">
      <Review {...rest} />
    </Dialog>
  )
}

function Review({ schema, draft, onClose, onSaved }: Omit<SaveSchemaProps, 'isOpen'>) {
  // The response depends on the stored version, so its ETag is part of the key.
  const difference = useQuery({
    queryKey: [diffPermissionSchema.path, draft, schema.etag],
    queryFn: ({ signal }) => call(diffPermissionSchema, { body: { text: draft } }, { signal }),
    gcTime: 0,
    retry: false,
  })
  const blocking = (difference.data?.differences ?? []).reduce((sum, entry) => sum + entry.blocking, 0)

  const isStaleError = (error: unknown) => error instanceof ApiError && error.status === 412
  const saving = useMutation({
    mutationFn: async (_before: string) => {
      await call(putPermissionSchema, { body: { text: draft } }, { ifMatch: schema.etag })
      await queryClient.invalidateQueries()
    },
    // `before` is passed because `schema` is the new one by now.
    onSuccess: (_, before) => {
      reportWithUndo('Schema saved', () =>
        call(putPermissionSchema, { body: { text: before } }).then(() => queryClient.invalidateQueries()),
      )
      onSaved()
    },
    onError: (error) => isStaleError(error) && queryClient.invalidateQueries(),
  })
  const isStale = isStaleError(saving.error)

  return (
    <>
      {isStale && (
        <p role="alert" className="mt-3 rounded-ctl border border-line border-l-3 border-l-warn px-3 py-2">
          Another user saved the schema after you opened it. The changes below are relative to their version. Saving
          replaces it.
        </p>
      )}
      <div className="mt-4 -mx-5 max-h-[55vh] overflow-y-auto">
        <Loaded query={difference} label="Comparing" rows={3}>
          {({ differences }) => <Differences differences={differences} />}
        </Loaded>
      </div>
      {saving.error && !isStale && (
        <div className="mt-4">
          <ErrorCard failure={toFailure(saving.error)} />
        </div>
      )}
      {blocking > 0 && (
        <p className="mt-4 text-bad">
          Delete the blocking relationships first, or keep the parts of the schema that they use.
        </p>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep editing</Button>
        <Button
          variant="primary"
          isBusy={saving.isPending}
          disabled={difference.data === undefined || blocking > 0}
          onClick={() => saving.mutate(schema.text)}
        >
          {isStale ? 'Replace schema' : 'Save schema'}
        </Button>
      </div>
    </>
  )
}
