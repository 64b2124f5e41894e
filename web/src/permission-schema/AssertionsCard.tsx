import type { ResponseData } from '@passport/contract/endpoint'
import type { CheckRequest } from '@passport/contract/permission-terms'
import {
  createAssertion,
  deleteAssertion,
  listAssertions,
  type NewAssertion,
  runAssertions,
} from '@passport/contract/permissions'
import { printCheck } from '@passport/permissions'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { toCheckSearch } from '../permissions/check-search.ts'
import { ObjectLabel, ObjectPicture } from '../permissions/ObjectName.tsx'
import { parseQuestionText } from '../permissions/question-text.ts'
import { printReference } from '../permissions/reference.ts'
import { useWhatIf } from '../permissions/what-if.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { Status } from '../ui/Status.tsx'

const refresh = () => queryClient.invalidateQueries({ queryKey: assertionsKey })

/** The assertions and their results. */
export function AssertionsCard() {
  const saved = useQuery(assertionsQuery)
  const hasWhatIf = useWhatIf() !== undefined
  const [isStarted, setStarted] = useState(false)
  // Stays true: a write invalidates the results, so the assertions run again.
  const { data: run, error, isFetching, refetch } = useQuery({ ...runQuery, enabled: isStarted })
  const start = () => (isStarted ? void refetch() : setStarted(true))

  async function remove(id: string, assertion: NewAssertion) {
    try {
      await call(deleteAssertion, { params: { assertionId: id } })
      reportWithUndo('Assertion deleted', () => call(createAssertion, { body: assertion }).then(refresh))
    } catch (error) {
      reportFailure('delete the assertion', error)
    }
    void refresh()
  }

  return (
    <Card
      title="Assertions"
      description={hasWhatIf && 'They run against stored data, without what-if changes.'}
      action={
        <Button isSmall isBusy={isFetching} disabled={!saved.data?.items.length} onClick={start}>
          <Play size={15} aria-hidden="true" />
          Run all
        </Button>
      }
    >
      <p role="status" className="px-4 pb-2 empty:hidden sm:px-[18px]">
        {error ? (
          <span className="text-bad">Couldn't run the assertions: {toFailure(error).detail}</span>
        ) : (
          run && <Outcome run={run} />
        )}
      </p>
      <div className="h-72 overflow-auto nav:h-[max(184px,round(down,100dvh-44.9rem,46px))]">
        <Loaded query={saved} label="Loading assertions" rows={3} rowClass="h-9">
          {({ items }) =>
            items.length === 0 ? (
              <p className="px-4 pb-4 text-ink2 sm:px-[18px]">
                No assertions yet. Add a check below, or save an answer from the Permission Checker.
              </p>
            ) : (
              <ul>
                {items.map(({ id, assertion }) => (
                  <Row
                    key={id}
                    assertion={assertion}
                    result={error ? undefined : run?.items.find((item) => item.id === id)}
                    onRemove={() => void remove(id, assertion)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
      <NewAssertionForm onSaved={() => void refresh()} />
    </Card>
  )
}

function Outcome({ run: { items, failed } }: { run: Run }) {
  if (failed === 0) return <Status tone="ok">{items.length} passed</Status>
  return (
    <Status tone="bad">
      {failed} of {items.length} failed
    </Status>
  )
}

interface RowProps {
  assertion: NewAssertion
  result: Run['items'][number] | undefined
  onRemove: () => void
}

function Row({ assertion, result, onRemove }: RowProps) {
  const text = printAssertion(assertion)
  const { resource, permission } = 'question' in assertion ? assertion.question : assertion
  return (
    <li className="group flex min-h-[46px] items-center gap-x-2.5 border-t border-hair py-1 pr-2 pl-4 sm:pl-[18px]">
      {'question' in assertion ? (
        <>
          <ObjectPicture object={assertion.question.subject} size={28} />
          <Link
            to="/admin/tools/permissions/check"
            search={toCheckSearch(assertion.question) as never}
            title={text}
            className="min-w-0 flex-1 leading-snug hover:underline"
          >
            <ObjectLabel object={assertion.question.subject} />
            <span className="block text-[13px] text-ink2">
              {permission} {resource.id}, {formatExpected(assertion)}
            </span>
          </Link>
        </>
      ) : (
        <span className="min-w-0 flex-1 leading-snug" title={text}>
          {permission} {resource.id}
          <span className="block text-[13px] text-ink2 [overflow-wrap:anywhere]">{formatExpected(assertion)}</span>
        </span>
      )}
      {result && (
        <span className="text-right text-[13px] leading-snug">
          <Status tone={result.holds ? 'ok' : 'bad'}>{result.holds ? 'Passed' : 'Failed'}</Status>
          {!result.holds && (
            <span className="block text-ink2">{result.error?.message ?? `got ${formatActual(result.got)}`}</span>
          )}
        </span>
      )}
      <Button
        variant="ghost"
        isSmall
        className="px-2! opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
        aria-label={`Delete ${text}`}
        onClick={onRemove}
      >
        <X size={15} aria-hidden="true" />
      </Button>
    </li>
  )
}

const resultWords: Record<string, string> = {
  hasPermission: 'allowed',
  noPermission: 'denied',
  conditional: 'depends',
}
const formatActual = (got: readonly string[]) =>
  got.map((word) => resultWords[word] ?? word).join(', ') || 'no subjects'

/** The form of a new assertion, as a line of text. */
function NewAssertionForm({ onSaved }: { onSaved: () => void }) {
  const [line, setLine] = useState('')
  const [kind, setKind] = useState<QuestionKind>('assertTrue')
  const [error, setError] = useState<string>()
  const saving = useMutation({
    mutationFn: (question: CheckRequest) => call(createAssertion, { body: { kind, question } }),
    onSuccess: () => {
      setLine('')
      onSaved()
    },
    onError: (failure) => setError(toFailure(failure).detail),
  })

  function save(event: FormEvent) {
    event.preventDefault()
    const question = parseQuestionText(line)
    if (question) saving.mutate(question)
    else setError('Use type:id#permission@type:id. Add “with {…}” for caveat context.')
  }
  return (
    <form
      aria-label="New assertion"
      onSubmit={save}
      className="flex flex-wrap items-start gap-2 border-t border-line px-4 py-3 sm:px-[18px]"
    >
      <div className="min-w-0 flex-1 basis-full">
        <Field
          label="Question"
          isLabelHidden
          placeholder="document:roadmap#view@user:ada"
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono text-[13px]"
          error={error}
          value={line}
          onChange={({ target }) => {
            setLine(target.value)
            setError(undefined)
          }}
        />
      </div>
      <div className="min-w-0 flex-1">
        <Select
          label="Expected answer"
          isLabelHidden
          options={kinds}
          value={kind}
          onChange={({ target }) => setKind(target.value as QuestionKind)}
        />
      </div>
      <Button type="submit" isBusy={saving.isPending} disabled={line.trim() === ''}>
        Add
      </Button>
    </form>
  )
}

const assertionsQuery = query(listAssertions, {})
const assertionsKey = assertionsQuery.queryKey

type Run = ResponseData<typeof runAssertions>

/** Runs all assertions. Saved and deleted assertions invalidate the results. */
const runQuery = queryOptions({
  queryKey: [...assertionsKey, 'run'],
  queryFn: ({ signal }) => call(runAssertions, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
})

/** The kinds of assertions that expect one answer to a question. */
type QuestionKind = Exclude<NewAssertion['kind'], 'validation'>
const kinds: readonly { value: QuestionKind; label: string }[] = [
  { value: 'assertTrue', label: 'must be allowed' },
  { value: 'assertFalse', label: 'must be denied' },
  { value: 'assertCaveated', label: 'must depend' },
]

const printAssertion = (assertion: NewAssertion): string =>
  'question' in assertion
    ? printCheck(assertion.question)
    : `${printReference(assertion.resource)}#${assertion.permission}`

const formatExpected = (assertion: NewAssertion): string =>
  'question' in assertion
    ? (kinds.find(({ value }) => value === assertion.kind)?.label ?? '')
    : `expected subjects: ${assertion.subjects.join(', ') || 'none'}`
