import { type JoinLink, listJoinLinks, type NewJoinLink, stopJoinLink } from '@passport/contract/join'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status } from '../ui/Status.tsx'
import { toast } from '../ui/toast.ts'
import { JoinLinkDialog } from './JoinLinkDialog.tsx'
import { type JoinTarget, usesOf } from './join-target.ts'

const states = {
  open: { tone: 'ok', label: 'Open' },
  used: { tone: 'off', label: 'Used up' },
  expired: { tone: 'off', label: 'Expired' },
  stopped: { tone: 'off', label: 'Stopped' },
} as const

/** How often the count of who came in is asked for, while the list is looked at. */
const pollMs = 5000

/** The links by which people join an organisation or a group, for whoever runs it. */
export function JoinLinksCard({ kind, targetId, name }: JoinTarget) {
  const queryClient = useQueryClient()
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<NewJoinLink>()
  const listed = useQuery({
    ...query(listJoinLinks, { query: { kind, targetId, limit: 200 } }),
    refetchInterval: pollMs,
  })
  const stop = useStop()
  const { data, error } = listed
  const current = made && (data?.items.find(({ id }) => id === made.id) ?? made)
  return (
    <Card
      title="Join links"
      about="Whoever opens one and signs in joins. The address is shown once, when it is made."
      action={
        <Button look="primary" onClick={() => setMaking(true)}>
          Create link
        </Button>
      }
    >
      {error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failureOf(error)} onRetry={() => void listed.refetch()} />
        </div>
      )}
      {!data && !error && <Skeleton label="Loading links" rows={3} />}
      {data?.items.length === 0 && (
        <Empty kind="nothing yet" title="There are no links yet">
          Make one to invite many people at once, or one person by their e-mail address.
        </Empty>
      )}
      <ul>
        {data?.items.map((link) => (
          <LinkRow key={link.id} link={link} isBusy={stop.isPending} onStop={() => stop.mutate(link.id)} />
        ))}
      </ul>
      {data?.next && <p className="border-t border-line px-5 py-3 text-ink2">Older links are not shown.</p>}
      <JoinLinkDialog
        target={{ kind, targetId, name }}
        isOpen={isMaking}
        made={current && made && { ...made, ...current }}
        onMade={(link) => {
          setMade(link)
          void listed.refetch()
        }}
        onStop={(id) => stop.mutate(id)}
        onClose={() => {
          setMaking(false)
          setMade(undefined)
          // People may have joined while it was open: the page around counts them.
          if (made) void queryClient.invalidateQueries()
        }}
      />
    </Card>
  )
}

function useStop() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (linkId: string) => call(stopJoinLink, { params: { linkId } }),
    onSuccess: () => void toast({ type: 'success', content: 'The link is stopped' }),
    onError: (error) => void toast({ type: 'error', content: `Not stopped. ${failureOf(error).detail}` }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [listJoinLinks.path] }),
  })
}

function LinkRow({ link, isBusy, onStop }: { link: JoinLink; isBusy: boolean; onStop: () => void }) {
  const { tone, label } = states[link.status]
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-2 border-t border-line px-5 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-[560] break-words">{forWhom(link)}</p>
        <p className="text-[13px] text-ink2">
          By {link.createdBy.name}, <Moment at={link.createdAt} />
          {link.expiresAt && link.status === 'open' && (
            <>
              ; ends <Moment at={link.expiresAt} />
            </>
          )}
        </p>
      </div>
      <span>{usesOf(link)}</span>
      <Status tone={tone}>{label}</Status>
      {link.status === 'open' && (
        <Button isSmall look="danger" isBusy={isBusy} aria-label={`Stop the link: ${forWhom(link)}`} onClick={onStop}>
          Stop
        </Button>
      )}
    </li>
  )
}

function forWhom({ kind, role, email, domains }: JoinLink): string {
  const who = email ?? (domains.length > 0 ? `Anyone at ${domains.join(', ')}` : 'Anyone')
  return kind === 'group' ? who : `${who}, as ${role === 'admin' ? 'an admin' : 'a member'}`
}
