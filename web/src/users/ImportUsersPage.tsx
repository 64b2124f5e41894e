import { importColumns } from '@passport/contract/import-columns'
import {
  applyUserImport,
  createUserImport,
  getUserImport,
  type ImportState,
  listUserImports,
  takeBackUserImport,
  type UserImport,
} from '@passport/contract/user-imports'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useId } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Moment } from '../ui/Moment.tsx'
import { toast } from '../ui/toast.ts'
import { faultText, stateNames } from './import-words.ts'

/** People from a file: checked first, added when that is wanted, taken back where it was wrong. */
export function ImportUsersPage() {
  const { import: importId } = useSearch({ strict: false }) as { import?: string }
  return (
    <div className="grid max-w-[860px] gap-6">
      <div>
        <Link to="/admin/users" className="mb-3 inline-flex items-center gap-1 text-ink2 hover:text-ink">
          <ChevronLeft size={15} />
          Users
        </Link>
        <h1>Import users</h1>
      </div>
      <Upload />
      {importId && <Progress key={importId} importId={importId} />}
      <Former />
    </div>
  )
}

function Upload() {
  const navigate = useNavigate()
  const id = useId()
  const check = useMutation({
    mutationFn: async (file: File) => call(createUserImport, { body: await file.text() }),
    onSuccess: ({ importId }) => {
      void queryClient.invalidateQueries()
      void navigate({ to: '.', search: { import: importId } as never })
    },
  })
  return (
    <Card title="A file" about="Nobody is added by checking it.">
      <div className="grid gap-3 px-5 pb-5">
        <p className="text-ink2">
          A CSV of at most 20 MiB, whose first line names some of the columns{' '}
          <code className="font-mono text-[12.5px]">{importColumns.join(', ')}</code>. Roles are put apart by blanks. An
          export of this page can be imported elsewhere.
        </p>
        <div>
          <label htmlFor={id} className="mb-1.5 block font-[560]">
            CSV file
          </label>
          <input
            id={id}
            type="file"
            accept=".csv,text/csv"
            disabled={check.isPending}
            className="ctl h-auto py-2"
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) check.mutate(file)
              target.value = ''
            }}
          />
        </div>
        {check.isPending && <p role="status">Checking …</p>}
        {check.error && <ErrorCard failure={failureOf(check.error)} />}
      </div>
    </Card>
  )
}

const isAtWork = (state: ImportState | undefined) => state === 'applying' || state === 'takingBack'
const pollMs = 1000

function Progress({ importId }: { importId: string }) {
  const params = { importId }
  const { data, error, refetch } = useQuery({
    ...query(getUserImport, { params }),
    refetchInterval: ({ state }) => (isAtWork(state.data?.state) ? pollMs : false),
  })
  const begin = useMutation({
    mutationFn: (endpoint: typeof applyUserImport | typeof takeBackUserImport) => call(endpoint, { params }),
    onError: (error) => void toast({ type: 'error', content: `Not begun: ${failureOf(error).detail}` }),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  if (error) return <ErrorCard failure={failureOf(error)} onRetry={() => void refetch()} />
  if (!data) return <div aria-busy="true" className="skeleton h-40" />
  const { state, valid, rows, added, takenBack } = data
  const isBusy = begin.isPending || isAtWork(state)
  return (
    <Card
      title={stateNames[state]}
      about={<span role="status">{told(data)}</span>}
      action={
        <div className="flex gap-2">
          {state === 'checked' && valid > 0 && (
            <Button look="primary" isBusy={isBusy} onClick={() => begin.mutate(applyUserImport)}>
              Add {valid.toLocaleString('en')} {valid === 1 ? 'person' : 'people'}
            </Button>
          )}
          {state === 'applied' && added > 0 && (
            <Button look="danger" isBusy={isBusy} onClick={() => begin.mutate(takeBackUserImport)}>
              Take back
            </Button>
          )}
        </div>
      }
    >
      {isAtWork(state) && (
        <div className="px-5 pb-4">
          <progress
            aria-label={stateNames[state]}
            className="w-full accent-stamp"
            max={state === 'applying' ? valid : added}
            value={state === 'applying' ? added : takenBack}
          />
        </div>
      )}
      <Faults faults={data.errors} isCut={data.faulty > data.errors.length} rows={rows} />
    </Card>
  )
}

function told({ state, rows, valid, faulty, added, takenBack }: UserImport): string {
  const number = (count: number) => count.toLocaleString('en')
  if (state === 'checked') return `${number(rows)} rows: ${number(valid)} can be added, ${number(faulty)} cannot.`
  if (state === 'applying') return `${number(added)} of ${number(valid)} added. It goes on if you leave this page.`
  const taken = state === 'applied' ? '' : `, ${number(takenBack)} of them taken back`
  return `${number(added)} added${taken}, ${number(faulty)} not.`
}

function Faults({ faults, isCut }: { faults: UserImport['errors']; isCut: boolean; rows: number }) {
  if (faults.length === 0) return <div className="pb-2" />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section aria-label="Rows with a fault" tabIndex={0} className="max-h-80 overflow-y-auto">
        <ul className="px-5">
          {faults.map(({ line, column, code }) => (
            <li key={line} className="flex flex-wrap gap-x-4 border-t border-line py-2">
              <span className="w-20 text-ink3">line {line.toLocaleString('en')}</span>
              <span className="w-32 font-mono text-[12.5px]">{column}</span>
              <span>{faultText(code)}</span>
            </li>
          ))}
        </ul>
      </section>
      {isCut && <p className="border-t border-line px-5 py-3 text-ink2">And more: only the first are shown.</p>}
    </>
  )
}

function Former() {
  const { data } = useQuery(query(listUserImports, {}))
  return (
    <Card title="Imports of the last 30 days">
      {data?.length === 0 && <Empty kind="nothing yet" title="No imports yet" />}
      <ul className="px-5 pb-2">
        {data?.map(({ importId, state, rows, added, createdAt }) => (
          <li key={importId} className="flex flex-wrap gap-x-4 border-t border-line py-2.5">
            <Link to="." search={{ import: importId } as never} className="link">
              {rows.toLocaleString('en')} rows
            </Link>
            <span>{stateNames[state]}</span>
            <span className="text-ink2">{added.toLocaleString('en')} added</span>
            <span className="text-ink3">
              <Moment at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
