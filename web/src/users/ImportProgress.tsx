import { formatRowError } from '@passport/contract/row-errors'
import { applyUserImport, getUserImport, type UserImport, undoUserImport } from '@passport/contract/user-imports'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { formatUsers } from './bulk-texts.ts'
import { ImportFileNotes } from './ImportFileNotes.tsx'
import { ImportPreview } from './ImportPreview.tsx'
import { isRunning, stateNames } from './import-texts.ts'

/** The interval at which a running import is reloaded. */
const pollMs = 1000

/** An import: its preview or errors, its progress, and the buttons to start and undo it. */
export function ImportProgress({ importId }: { importId: string }) {
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
  const { state, valid, added, takenBack, file, preview } = data
  const isBusy = start.isPending || isRunning(state)
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
      {data.roles && <GivenRoles roles={data.roles} />}
      {file && <ImportFileNotes {...data} file={file} />}
      {file && preview ? (
        <ImportPreview file={file} preview={preview} errors={data.errors} rows={data.rows} />
      ) : (
        <RowErrors errors={data.errors} />
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

/** The existing roles that the users of a file will have, before it is imported. */
function GivenRoles({ roles }: { roles: NonNullable<UserImport['roles']> }) {
  if (roles.length === 0) return null
  return (
    <section aria-label="Roles given" className="border-t border-line px-4 py-3 text-[13px] sm:px-[18px]">
      <h3 className="text-ink3">Roles given</h3>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {roles.map(({ name, users }) => (
          <li key={name}>
            <span className="font-[560]">{name}</span> <span className="text-ink2">{formatUsers(users)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function RowErrors({ errors }: { errors: UserImport['errors'] }) {
  if (errors.length === 0) return <div className="pb-2" />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section aria-label="Rows with errors" tabIndex={0} className="max-h-80 overflow-y-auto">
      <ul className="px-4 sm:px-[18px]">
        {errors.map(({ line, column, header, code }, index) => (
          <li key={index} className="flex flex-wrap gap-x-4 border-t border-hair py-2">
            <span className="w-20 text-ink3">Line {line.toLocaleString('en')}</span>
            <span className="w-32 font-mono text-[12.5px]">{header ?? column}</span>
            <span>{formatRowError(code)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
