import { importColumns } from '@passport/contract/import-columns'
import {
  applyUserImport,
  createUserImport,
  getUserImport,
  type ImportState,
  listUserImports,
  type UserImport,
  undoUserImport,
} from '@passport/contract/user-imports'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { BackLink } from '../directory/BackLink.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { formatRowError, stateNames } from './import-texts.ts'

/** Imports users from a file: checked first, applied on request, and reversible. */
export function ImportUsersPage() {
  const { import: importId } = useSearch({ strict: false }) as { import?: string }
  return (
    <div className="grid gap-6">
      <div>
        <BackLink to="/admin/users" label="Users" />
        <h1>Import users</h1>
      </div>
      <UploadCard />
      {importId && <ImportProgress key={importId} importId={importId} />}
      <PastImports />
    </div>
  )
}

function UploadCard() {
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
    <Card title="Upload a CSV" description="We check the file first. Nothing is imported until you confirm.">
      <div className="grid gap-3 px-5 pb-5">
        <p className="text-ink2">
          Up to 20 MiB. The first line names the columns, any of{' '}
          <code className="font-mono text-[12.5px]">{importColumns.join(', ')}</code>. Separate roles with spaces. Files
          exported from Passport can be imported as they are.
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
        {check.isPending && <p role="status">Checking…</p>}
        {check.error && <ErrorCard failure={toFailure(check.error)} />}
      </div>
    </Card>
  )
}

const isRunning = (state: ImportState | undefined) => state === 'applying' || state === 'takingBack'
const pollMs = 1000

function ImportProgress({ importId }: { importId: string }) {
  const params = { importId }
  const { data, error, refetch } = useQuery({
    ...query(getUserImport, { params }),
    refetchInterval: ({ state }) => (isRunning(state.data?.state) ? pollMs : false),
  })
  const start = useMutation({
    mutationFn: (endpoint: typeof applyUserImport | typeof undoUserImport) => call(endpoint, { params }),
    onError: (error, endpoint) => reportFailure(`${endpoint === applyUserImport ? 'start' : 'undo'} the import`, error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <div aria-busy="true" className="skeleton h-40" />
  const { state, valid, rows, added, takenBack } = data
  const isBusy = start.isPending || isRunning(state)
  return (
    <Card
      title={stateNames[state]}
      description={<span role="status">{describeProgress(data)}</span>}
      action={
        <div className="flex gap-2">
          {state === 'checked' && valid > 0 && (
            <Button variant="primary" isBusy={isBusy} onClick={() => start.mutate(applyUserImport)}>
              Import {valid.toLocaleString('en')} {valid === 1 ? 'user' : 'users'}
            </Button>
          )}
          {state === 'applied' && added > 0 && (
            <Button variant="danger" isBusy={isBusy} onClick={() => start.mutate(undoUserImport)}>
              Undo import
            </Button>
          )}
        </div>
      }
    >
      {isRunning(state) && (
        <div className="px-5 pb-4">
          <progress
            aria-label={stateNames[state]}
            className="w-full accent-stamp"
            max={state === 'applying' ? valid : added}
            value={state === 'applying' ? added : takenBack}
          />
        </div>
      )}
      <RowErrors errors={data.errors} isCut={data.faulty > data.errors.length} rows={rows} />
    </Card>
  )
}

function describeProgress({ state, rows, valid, faulty, added, takenBack }: UserImport): string {
  const formatNumber = (count: number) => count.toLocaleString('en')
  if (state === 'checked')
    return `${formatNumber(rows)} rows · ${formatNumber(valid)} valid · ${formatNumber(faulty)} with errors`
  if (state === 'applying') return `${formatNumber(added)} of ${formatNumber(valid)} added. You can leave this page.`
  const revertedText = state === 'applied' ? '' : ` · ${formatNumber(takenBack)} removed again`
  return `${formatNumber(added)} added${revertedText} · ${formatNumber(faulty)} skipped`
}

function RowErrors({ errors, isCut }: { errors: UserImport['errors']; isCut: boolean; rows: number }) {
  if (errors.length === 0) return <div className="pb-2" />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
      <section aria-label="Rows with errors" tabIndex={0} className="max-h-80 overflow-y-auto">
        <ul className="px-5">
          {errors.map(({ line, column, code }) => (
            <li key={line} className="flex flex-wrap gap-x-4 border-t border-line py-2">
              <span className="w-20 text-ink3">Line {line.toLocaleString('en')}</span>
              <span className="w-32 font-mono text-[12.5px]">{column}</span>
              <span>{formatRowError(code)}</span>
            </li>
          ))}
        </ul>
      </section>
      {isCut && <p className="border-t border-line px-5 py-3 text-ink2">Only the first errors are shown.</p>}
    </>
  )
}

function PastImports() {
  const { data } = useQuery(query(listUserImports, {}))
  return (
    <Card title="Imports in the last 30 days">
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
              <RelativeTime at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
