import type { AuditEntry } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { EventPicture } from '../directory/EventPicture.tsx'
import { nameReason } from '../directory/failure-reasons.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status } from '../ui/Status.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import type { useAudit } from './use-audit.ts'

interface SignInRowsProps {
  audit: ReturnType<typeof useAudit>
  /** Returns the name of an application. */
  nameClient: (id: string) => string
  /** Shown without sign-ins. */
  empty: ReactNode
}

/** Sign-ins, newest first; each leads to its trace. */
export function SignInRows({ audit, nameClient, empty }: SignInRowsProps) {
  const { entries, failure, retry, loadMore, isLoadingMore } = audit
  const nameProvider = useProviderName()
  if (failure) return <ErrorCard failure={failure} onRetry={retry} />
  if (!entries) return <Skeleton label="Loading sign-ins" rows={8} rowClass="h-9.5" />
  if (entries.length === 0) return empty
  return (
    <>
      <Table
        caption="Sign-ins"
        isFixed
        isHeaderSticky
        header={
          <>
            <th scope="col">User</th>
            <th scope="col" className="w-[25%]">
              Result
            </th>
            <th scope="col" className="w-[15%]">
              Application
            </th>
            <th scope="col" className="w-[15%]">
              Provider
            </th>
            <th scope="col" className="w-[118px]">
              Time
            </th>
            <th scope="col" className="w-[104px]">
              Trace
            </th>
          </>
        }
      >
        {entries.map((entry) => (
          <SignInRow key={entry.id} entry={entry} nameProvider={nameProvider} nameClient={nameClient} />
        ))}
      </Table>
      {loadMore && (
        <div className="border-t border-hair px-4 py-3 sm:px-[18px]">
          <Button isSmall isBusy={isLoadingMore} onClick={loadMore}>
            Show earlier sign-ins
          </Button>
        </div>
      )}
    </>
  )
}

const toText = (value: unknown) => (typeof value === 'string' ? value : undefined)

interface SignInRowProps {
  entry: AuditEntry
  nameProvider: (id: string) => string
  nameClient: (id: string) => string
}

function SignInRow({ entry, nameProvider, nameClient }: SignInRowProps) {
  const { at, action, actor, target, after, reason, supportCode, names } = entry
  const [idp, client, domain] = [toText(after?.['idp']), toText(after?.['client']), toText(after?.['domain'])]
  const isFailed = action !== 'signin.succeeded'
  const user = actor ?? (target.kind === 'user' && target.id ? { id: target.id, name: target.name ?? target.id } : null)
  const provider = idp && (names[idp] ?? nameProvider(idp))
  return (
    <TableRow className="relative hover:bg-well max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-x-3 max-sm:first:border-t-0 sm:h-[46px] sm:[&_td]:py-0 sm:[&_td]:align-middle">
      <TableCell className="max-sm:py-0!">
        <span className="flex items-center gap-2.5">
          <EventPicture {...entry} />
          {user ? (
            <Link
              to="/admin/users/$userId"
              params={{ userId: user.id } as never}
              className="truncate font-[560] hover:underline"
            >
              {user.name}
            </Link>
          ) : (
            <span className="truncate text-ink2">{domain ? `Someone at ${domain}` : 'Unknown user'}</span>
          )}
        </span>
      </TableCell>
      <TableCell className="max-sm:col-start-1 max-sm:row-start-2 max-sm:pl-[38px]!">
        <span className="block truncate">
          <Status tone={isFailed ? 'bad' : 'ok'}>
            {isFailed ? (reason ? nameReason(reason) : 'Failed') : 'Succeeded'}
          </Status>
        </span>
      </TableCell>
      <TableCell className="truncate text-ink2 max-sm:hidden">{client ? nameClient(client) : '–'}</TableCell>
      <TableCell className="truncate text-ink2 max-sm:hidden">{provider ?? '–'}</TableCell>
      <TableCell className="text-ink2 max-sm:col-start-2 max-sm:row-start-1 max-sm:self-center max-sm:text-[13px]">
        <RelativeTime at={at} />
      </TableCell>
      <TableCell className="max-sm:col-start-2 max-sm:row-start-2 max-sm:text-right">
        {supportCode && (
          <Link
            to="/admin/audit/signins/trace"
            search={{ q: supportCode } as never}
            className="font-mono text-[12.5px] text-stamp hover:underline"
            aria-label={`Trace ${supportCode}`}
          >
            {supportCode}
          </Link>
        )}
      </TableCell>
    </TableRow>
  )
}
