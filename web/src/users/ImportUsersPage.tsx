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
import { Download, FileUp } from 'lucide-react'
import { useId, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { BackLink } from '../directory/BackLink.tsx'
import { formatCount } from '../directory/total.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ImportPreview } from './ImportPreview.tsx'
import { formatRowError, stateNames } from './import-texts.ts'
import { formatUsers } from './names.ts'

/** Imports users from a CSV file. The file is checked first, then imported on request; the import can be undone. */
export function ImportUsersPage() {
  const { import: importId } = useSearch({ strict: false }) as { import?: string }
  return (
    <div>
      <BackLink to="/admin/users" label="Users" />
      <h1>Import users</h1>
      <div className="cols mt-5">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <UploadCard />
          {importId && <ImportProgress key={importId} importId={importId} />}
        </div>
        <PastImports currentId={importId} />
      </div>
    </div>
  )
}

/** The texts of the files checked in this tab, by import id. Their previews are only available here. */
const checkedTexts = new Map<string, string>()

function UploadCard() {
  const navigate = useNavigate()
  const id = useId()
  const [isOver, setOver] = useState(false)
  const check = useMutation({
    mutationFn: async (file: File) => {
      const text = await file.text()
      const created = await call(createUserImport, { body: text })
      checkedTexts.set(created.importId, text)
      return created
    },
    onSuccess: ({ importId }) => {
      void queryClient.invalidateQueries()
      void navigate({ to: '.', search: { import: importId } as never })
    },
  })
  const start = (files: FileList | null) => {
    const file = files?.[0]
    if (file && !check.isPending) check.mutate(file)
  }
  return (
    <Card
      title="Upload a file"
      action={
        <a className={buttonClass('plain', true)} href={templateUrl} download="users-template.csv">
          <Download size={15} aria-hidden="true" />
          Download template
        </a>
      }
    >
      <div className="grid gap-3 px-4 pt-1 pb-[18px] sm:px-[18px]">
        <label
          htmlFor={id}
          className={`grid min-h-36 cursor-pointer place-items-center content-center gap-1 rounded-ctl border-2 border-dashed px-4 text-center has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-stamp ${isOver ? 'border-stamp bg-selection' : 'border-edge hover:bg-well'}`}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault()
            setOver(false)
            start(event.dataTransfer.files)
          }}
        >
          <FileUp size={22} aria-hidden="true" className="mb-1 text-ink3" />
          <span role="status" className="font-[560]">
            {check.isPending ? 'Checking the file…' : 'Drop a CSV file here, or choose one'}
          </span>
          <span className="text-[13px] text-ink3">Up to 20 MiB. Nothing is imported until you confirm.</span>
          <input
            id={id}
            type="file"
            aria-label="CSV file"
            accept=".csv,text/csv"
            disabled={check.isPending}
            className="sr-only"
            onChange={({ target }) => {
              start(target.files)
              target.value = ''
            }}
          />
        </label>
        <p className="text-[13px] text-ink2">
          The first line names the columns, any of{' '}
          <code className="font-mono text-[12px]">{importColumns.join(', ')}</code>. Roles are separated by spaces.
        </p>
        {check.error && <ErrorCard failure={toFailure(check.error, 'check the file')} />}
      </div>
    </Card>
  )
}

/** A file with every column and one user. */
const templateUrl = `data:text/csv;charset=utf-8,${encodeURIComponent(
  `${importColumns.join(',')}\r\nnoor.haddad,Noor Haddad,noor@contoso.example,true,false,\r\n`,
)}`

const isRunning = (state: ImportState | undefined) => state === 'applying' || state === 'takingBack'
const pollMs = 1000

function ImportProgress({ importId }: { importId: string }) {
  const params = { importId }
  const [isConfirming, setConfirming] = useState(false)
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
  if (!data)
    return (
      <Card title="Import">
        <Skeleton label="Loading the import" rows={3} rowClass="h-6" />
      </Card>
    )
  const { state, valid, added, takenBack } = data
  const isBusy = start.isPending || isRunning(state)
  const text = checkedTexts.get(importId)
  return (
    <Card
      title={stateNames[state]}
      description={<span role="status">{describeProgress(data)}</span>}
      action={
        <div className="flex gap-2">
          {state === 'checked' && valid > 0 && (
            <Button variant="primary" isBusy={isBusy} onClick={() => start.mutate(applyUserImport)}>
              Import {formatUsers(valid)}
            </Button>
          )}
          {state === 'applied' && added > 0 && (
            <Button isBusy={isBusy} onClick={() => setConfirming(true)}>
              Undo import
            </Button>
          )}
        </div>
      }
    >
      {isRunning(state) && (
        <div className="px-4 pb-4 sm:px-[18px]">
          <progress
            aria-label={stateNames[state]}
            className="w-full accent-stamp"
            max={state === 'applying' ? valid : added}
            value={state === 'applying' ? added : takenBack}
          />
        </div>
      )}
      {text === undefined ? (
        <RowErrors errors={data.errors} />
      ) : (
        <ImportPreview text={text} errors={data.errors} rows={data.rows} />
      )}
      {data.faulty > data.errors.length && (
        <p className="border-t border-line px-4 py-3 text-ink2 sm:px-[18px]">Only the first errors are shown.</p>
      )}
      <Confirm
        isOpen={isConfirming}
        title={`Undo the import of ${formatUsers(added)}?`}
        action="Undo import"
        onConfirm={() => {
          setConfirming(false)
          start.mutate(undoUserImport)
        }}
        onClose={() => setConfirming(false)}
      >
        Its users are deleted, except those changed or signed in since. You can restore them from the trash.
      </Confirm>
    </Card>
  )
}

function describeProgress({ state, rows, valid, faulty, added, takenBack }: UserImport): string {
  const formatNumber = (count: number) => count.toLocaleString('en')
  if (state === 'checked')
    return `${formatNumber(rows)} rows · ${formatNumber(valid)} valid · ${formatNumber(faulty)} with errors`
  if (state === 'applying') return `${formatNumber(added)} of ${formatNumber(valid)} added. You can leave this page.`
  const undoneText = state === 'applied' ? '' : ` · ${formatNumber(takenBack)} deleted`
  return `${formatNumber(added)} added${undoneText} · ${formatNumber(faulty)} skipped`
}

function RowErrors({ errors }: { errors: UserImport['errors'] }) {
  if (errors.length === 0) return <div className="pb-2" />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section aria-label="Rows with errors" tabIndex={0} className="max-h-80 overflow-y-auto">
      <ul className="px-4 sm:px-[18px]">
        {errors.map(({ line, column, code }) => (
          <li key={line} className="flex flex-wrap gap-x-4 border-t border-hair py-2">
            <span className="w-20 text-ink3">Line {line.toLocaleString('en')}</span>
            <span className="w-32 font-mono text-[12.5px]">{column}</span>
            <span>{formatRowError(code)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const dayMs = 24 * 60 * 60 * 1000

/** Reports whether an import is listed: it is open, is running or added users, or can still be started within a day. */
const isListed = ({ importId, state, added, valid, createdAt }: PastImport, currentId: string | undefined) =>
  importId === currentId ||
  added > 0 ||
  isRunning(state) ||
  (state === 'checked' && valid > 0 && Date.now() - Date.parse(createdAt) < dayMs)
type PastImport = Omit<UserImport, 'errors'>

function PastImports({ currentId }: { currentId: string | undefined }) {
  const imports = useQuery(query(listUserImports, {}))
  return (
    <Card title="Imports in the last 30 days">
      <Loaded query={imports} label="Loading imports" rows={3} rowClass="h-9">
        {(all) => {
          const listed = all.filter((each) => isListed(each, currentId))
          if (listed.length === 0) return <Empty kind="nothing yet" title="No imports yet" />
          return (
            <ul className="pb-1">
              {listed.map(({ importId, state, rows, added, createdAt }) => (
                <li
                  key={importId}
                  className="flex min-h-[46px] flex-wrap items-center gap-x-3 border-t border-hair px-4 py-1 sm:px-[18px]"
                >
                  <Link to="." search={{ import: importId } as never} className="link">
                    {formatCount(rows, ['row', 'rows'])}
                  </Link>
                  <span className="text-ink2">
                    {added > 0 ? `${added.toLocaleString('en')} added` : stateNames[state]}
                    {state === 'takenBack' && ', undone'}
                  </span>
                  <span className="ml-auto text-[13px] text-ink3">
                    <RelativeTime at={createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}
