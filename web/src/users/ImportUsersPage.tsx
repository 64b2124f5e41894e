import { importColumns } from '@passport/contract/import-columns'
import { createUserImport, type ImportProgress as Import, listUserImports } from '@passport/contract/user-imports'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download, FileUp } from 'lucide-react'
import { useId, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { queryClient } from '../app/query-client.ts'
import { BackLink } from '../directory/BackLink.tsx'
import { CardText } from '../directory/CardRows.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { formatCount } from '../directory/total.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ImportProgress } from './ImportProgress.tsx'
import { isRunning, stateNames } from './import-texts.ts'

/** Imports users from a CSV file. The file is checked first, then imported on request; the import can be undone. */
export function ImportUsersPage() {
  const { import: importId } = useSearch({ strict: false }) as { import?: string }
  return (
    <div>
      <BackLink to="/admin/users" label="Users" />
      <div className="flex items-center justify-between gap-3">
        <h1>Import users</h1>
        <PageMenu />
      </div>
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

function UploadCard() {
  const navigate = useNavigate()
  const id = useId()
  const [isOver, setOver] = useState(false)
  const check = useMutation({
    mutationFn: (file: File) => call(createUserImport, { body: file }),
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
          className={`grid min-h-52 cursor-pointer place-items-center content-center gap-1 rounded-ctl border-2 border-dashed px-4 text-center has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-stamp ${isOver ? 'border-stamp bg-selection' : 'border-edge hover:bg-well'}`}
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
            {check.isPending ? 'Checking the file…' : 'Drop a CSV file here'}
          </span>
          <span className="btn my-2">Choose file</span>
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
        <SampleTable />
        {check.error && <ErrorCard failure={toFailure(check.error, 'check the file')} />}
      </div>
    </Card>
  )
}

const sample: Record<(typeof importColumns)[number], string> = {
  username: 'noor.haddad',
  displayname: 'Noor Haddad',
  email: 'noor@contoso.example',
  emailVerified: 'true',
  disabled: 'false',
  roles: 'Desk.Agent Wiki.Reader',
}

/** The columns of a file with the first user of the template. */
function SampleTable() {
  return (
    <div className="min-w-0">
      <section
        aria-label="Sample file"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is scrolled by the keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-ctl border border-line"
      >
        <table className="w-full text-left font-mono text-[12px] whitespace-nowrap [&_td]:px-3 [&_td]:py-1.5 [&_th]:px-3 [&_th]:py-1.5 [&_th]:font-[560]">
          <thead className="border-b border-hair bg-well">
            <tr>
              {importColumns.map((name) => (
                <th key={name} scope="col">
                  {name}
                  {requiredColumns.has(name) && '*'}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className="text-ink2">
              {importColumns.map((name) => (
                <td key={name}>{sample[name]}</td>
              ))}
            </tr>
          </tbody>
        </table>
      </section>
      <p className="mt-2 text-[13px] text-ink2">
        * Each user needs at least one of these. Roles are separated by spaces. Exports of Entra ID, Google, Okta and
        others are read as they are.
      </p>
    </div>
  )
}

const requiredColumns = new Set<string>(['username', 'displayname', 'email'])

/** A file with every column and one user. */
const templateUrl = `data:text/csv;charset=utf-8,${encodeURIComponent(
  `${importColumns.join(',')}\r\n${Object.values(sample).join(',')}\r\n`,
)}`

const dayMs = 24 * 60 * 60 * 1000

/** Reports whether an import is listed: it is open, is running or added users, or can still be started within a day. */
const isListed = ({ importId, state, added, valid, createdAt }: Import, currentId: string | undefined) =>
  importId === currentId ||
  added > 0 ||
  isRunning(state) ||
  (state === 'checked' && valid > 0 && Date.now() - Date.parse(createdAt) < dayMs)

function PastImports({ currentId }: { currentId: string | undefined }) {
  const imports = useQuery(query(listUserImports, {}))
  return (
    <Card title="Past imports">
      <Loaded query={imports} label="Loading imports" rows={3} rowClass="h-9">
        {(all) => {
          const listed = all.filter((each) => isListed(each, currentId))
          if (listed.length === 0) return <CardText>No imports in the last 30 days</CardText>
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
