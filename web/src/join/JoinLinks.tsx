import { type CreatedJoinLink, type JoinLink, listJoinLinks, revokeJoinLink } from '@passport/contract/join'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { editRows, updateOptimistically } from '../app/optimistic-update.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status } from '../ui/Status.tsx'
import { JoinLinkDialog } from './JoinLinkDialog.tsx'
import { formatUses, type JoinTarget } from './join-target.ts'

const statusLabels = {
  open: { tone: 'ok', label: 'Active' },
  used: { tone: 'off', label: 'Used up' },
  expired: { tone: 'off', label: 'Expired' },
  stopped: { tone: 'off', label: 'Revoked' },
} as const

/** The interval at which the shown list is reloaded for new joins. */
const pollMs = 5000

/** The join links of an organisation or a group, for its managers. */
export function JoinLinks({ kind, targetId, name }: JoinTarget) {
  const queryClient = useQueryClient()
  const [isDialogOpen, setDialogOpen] = useState(false)
  const [created, setCreated] = useState<CreatedJoinLink>()
  const links = useQuery({
    ...query(listJoinLinks, { query: { kind, targetId, limit: 200 } }),
    refetchInterval: pollMs,
  })
  const revoke = useRevokeLink()
  const { data, error } = links
  const current = created && (data?.items.find(({ id }) => id === created.id) ?? created)
  const isEmpty = data?.items.length === 0
  const create = (
    <Button variant="primary" onClick={() => setDialogOpen(true)}>
      Create link
    </Button>
  )
  return (
    <Card
      title="Join links"
      description={data && !isEmpty && 'A link is shown only once, when it is created.'}
      action={!isEmpty && create}
    >
      {error && (
        <div className="px-4 pb-[18px] sm:px-[18px]">
          <ErrorCard failure={toFailure(error)} onRetry={() => void links.refetch()} />
        </div>
      )}
      {!data && !error && <Skeleton label="Loading links" rows={3} />}
      {isEmpty && (
        <Empty kind="nothing yet" title="No join links yet">
          <p>Anyone who opens a link and signs in joins. A link can be limited to a domain or one email address.</p>
          <div className="mt-4">{create}</div>
        </Empty>
      )}
      <ul>
        {data?.items.map((link) => (
          <LinkRow key={link.id} link={link} onRevoke={() => revoke.mutate(link.id)} />
        ))}
      </ul>
      {data?.next && (
        <p className="border-t border-line px-4 py-3 text-ink2 sm:px-[18px]">Older links are not shown.</p>
      )}
      <JoinLinkDialog
        target={{ kind, targetId, name }}
        isOpen={isDialogOpen}
        created={current && created && { ...created, ...current }}
        onCreated={(link) => {
          setCreated(link)
          void links.refetch()
        }}
        onRevoke={(id) => revoke.mutate(id)}
        onClose={() => {
          setDialogOpen(false)
          setCreated(undefined)
          // Users may have joined while the dialog was open: refreshes the counts of the page.
          if (created) void queryClient.invalidateQueries()
        }}
      />
    </Card>
  )
}

function useRevokeLink() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (linkId: string) => {
      const edit = editRows(listJoinLinks, {}, (link) =>
        link.id === linkId ? { ...link, status: 'stopped' as const } : link,
      )
      return updateOptimistically([edit], () => call(revokeJoinLink, { params: { linkId } }))
    },
    onSuccess: () => reportSuccess('Link revoked'),
    onError: (error) => reportFailure('revoke the link', error),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [listJoinLinks.path] }),
  })
}

function LinkRow({ link, onRevoke }: { link: JoinLink; onRevoke: () => void }) {
  const { tone, label } = statusLabels[link.status]
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-2 border-t border-line px-4 py-3 sm:px-[18px]">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-[560] break-words">{formatAudience(link)}</p>
        <p className="text-[13px] text-ink2">
          Created by {link.createdBy.name}, <RelativeTime at={link.createdAt} inSentence />
          {link.expiresAt && link.status === 'open' && (
            <>
              ; expires <RelativeTime at={link.expiresAt} inSentence />
            </>
          )}
        </p>
      </div>
      <span>{formatUses(link)}</span>
      <Status tone={tone}>{label}</Status>
      {link.status === 'open' && (
        <Button isSmall variant="danger" aria-label={`Revoke link: ${formatAudience(link)}`} onClick={onRevoke}>
          Revoke
        </Button>
      )}
    </li>
  )
}

function formatAudience({ kind, role, email, domains }: JoinLink): string {
  const audience = email ?? (domains.length > 0 ? `Anyone at ${domains.join(', ')}` : 'Anyone')
  return kind === 'group' ? audience : `${audience}, as ${role === 'admin' ? 'an admin' : 'a member'}`
}
