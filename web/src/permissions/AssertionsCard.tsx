import { createAssertion, deleteAssertion, type NewAssertion } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play, X } from 'lucide-react'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Status } from '../ui/Status.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { assertionsKey, assertionsQuery, type Run, runQuery, saidOf, wantedOf } from './assertions.ts'
import { searchFor } from './check-search.ts'
import { NewAssertionForm } from './NewAssertionForm.tsx'
import { useSupposition } from './supposition.ts'

const refresh = () => queryClient.invalidateQueries({ queryKey: assertionsKey })

/** What must hold, and whether it does. */
export function AssertionsCard() {
  const saved = useQuery(assertionsQuery)
  const isSupposing = useSupposition() !== undefined
  const [isAsked, setAsked] = useState(false)
  // Once asked for it stays true: what changes an answer runs them again.
  const { data: run, error, isFetching, refetch } = useQuery({ ...runQuery, enabled: isAsked })
  const start = () => (isAsked ? void refetch() : setAsked(true))

  async function remove(id: string, assertion: NewAssertion) {
    try {
      await call(deleteAssertion, { params: { assertionId: id } })
      void undoToast(
        'The assertion is deleted',
        () => call(createAssertion, { body: assertion }).then(refresh),
        (error) => failureOf(error).detail,
      )
    } catch (error) {
      void toast({ type: 'error', content: `Not deleted: ${failureOf(error).detail}` })
    }
    void refresh()
  }

  return (
    <Card
      title="Assertions"
      about={
        <>
          Answers that must come out, whatever is changed.
          {isSupposing && ' They are run on what is stored, not on what is supposed.'}
        </>
      }
      action={
        <Button isSmall isBusy={isFetching} disabled={!saved.data?.items.length} onClick={start}>
          <Play size={15} aria-hidden="true" />
          Run all
        </Button>
      }
    >
      <p role="status" className="px-5 pb-3 empty:hidden">
        {error ? <span className="text-bad">Not run: {failureOf(error).detail}</span> : run && <Outcome run={run} />}
      </p>
      <Loaded query={saved} label="Loading assertions" rows={3} rowClass="h-9">
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-5 pb-4 text-ink2">None yet. The checker can save an answer as one.</p>
          ) : (
            <ul className="px-5">
              {items.map(({ id, assertion }) => (
                <Row
                  key={id}
                  assertion={assertion}
                  result={error ? undefined : run?.items.find((one) => one.id === id)}
                  onRemove={() => void remove(id, assertion)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewAssertionForm onSaved={() => void refresh()} />
    </Card>
  )
}

function Outcome({ run: { items, failed } }: { run: Run }) {
  if (failed === 0) return <Status tone="ok">{items.length === 1 ? 'It holds' : `All ${items.length} hold`}</Status>
  return (
    <Status tone="bad">
      {failed} of {items.length} {failed === 1 ? 'does' : 'do'} not hold
    </Status>
  )
}

interface RowProps {
  assertion: NewAssertion
  result: Run['items'][number] | undefined
  onRemove: () => void
}

function Row({ assertion, result, onRemove }: RowProps) {
  const said = saidOf(assertion)
  return (
    <li className="flex items-center gap-x-4 border-t border-line py-2">
      <div className="min-w-0 flex-1">
        <p>
          {'question' in assertion ? (
            <Link
              to="/admin/tools/permissions/check"
              search={searchFor(assertion.question) as never}
              className="link mr-3 font-mono text-[12.5px] [overflow-wrap:anywhere]"
            >
              {said}
            </Link>
          ) : (
            <code className="mr-3 font-mono text-[12.5px] [overflow-wrap:anywhere]">{said}</code>
          )}
          <span className="text-ink2">{wantedOf(assertion)}</span>
        </p>
        {result && (
          <p className="mt-0.5 text-[13px]">
            <Status tone={result.holds ? 'ok' : 'bad'}>{result.holds ? 'Holds' : 'Does not hold'}</Status>
            {!result.holds && (
              <span className="ml-2 text-ink2">{result.error?.message ?? `came out as ${gotOf(result.got)}`}</span>
            )}
          </p>
        )}
      </div>
      <Button look="ghost" isSmall aria-label={`Delete ${said}`} onClick={onRemove}>
        <X size={15} aria-hidden="true" />
      </Button>
    </li>
  )
}

const words: Record<string, string> = {
  hasPermission: 'allowed',
  noPermission: 'denied',
  conditional: 'depends',
}
const gotOf = (got: readonly string[]) => got.map((word) => words[word] ?? word).join(', ') || 'nobody'
