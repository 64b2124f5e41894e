import { acceptInvitation, getInvitation, type Invitation } from '@passport/contract/join'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { signInAddress } from '../app/return-url.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Seal } from '../ui/Seal.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { endingOf } from './endings.ts'

/** Where an invitation leads: what it is to, and the way in. Anyone may look; joining needs a sign-in. */
export function JoinPage() {
  const { joinId = '' } = useParams({ strict: false })
  const user = useCurrentUser()
  const params = { id: joinId }
  const shown = useQuery({ ...query(getInvitation, { params }), retry: false, staleTime: 60_000 })
  const queryClient = useQueryClient()
  const accept = useMutation({
    mutationFn: () => call(acceptInvitation, { params }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['current-user'] }),
  })

  if (accept.data) return <Joined {...accept.data} />
  const ending = endingOf(accept.error) ?? endingOf(shown.error)
  if (ending) return <Ended {...ending}>{user && <Others />}</Ended>
  if (shown.error) return <ErrorCard failure={failureOf(shown.error)} onRetry={() => void shown.refetch()} />
  if (!shown.data) return <Skeleton label="Loading the invitation" rows={3} />
  return (
    <Frame seed={shown.data.title} title={`You are invited to ${shown.data.title}`}>
      <About {...shown.data} />
      {accept.error && (
        <div className="mt-4">
          <ErrorCard failure={failureOf(accept.error)} />
        </div>
      )}
      {user ? (
        <>
          <Button look="primary" className="mt-5" isBusy={accept.isPending} onClick={() => accept.mutate()}>
            Join {shown.data.title}
          </Button>
          <p className="mt-3 text-[13px] text-ink3">
            You join as {user.claims.name ?? user.claims.email ?? 'yourself'}.
          </p>
        </>
      ) : (
        <a className={`${buttonClass('primary')} mt-5`} href={signInAddress(`/app/join/${encodeURIComponent(joinId)}`)}>
          Sign in to join
        </a>
      )}
    </Frame>
  )
}

function Frame({ seed, title, children }: { seed: string; title: string; children: ReactNode }) {
  return (
    <div className="mx-auto grid max-w-[520px] justify-items-center rounded-box border border-line bg-card px-6 py-10 text-center">
      <Seal seed={seed} size={88} isFoil />
      <h1 className="mt-4 break-words">{title}</h1>
      {children}
    </div>
  )
}

const kinds = { org: 'this organisation', group: 'this group', space: 'this space', invitation: 'come in' }

function About({ kind, description, inviter, expiresAt }: Invitation) {
  return (
    <div className="mt-2 grid gap-1 text-ink2">
      <p>
        {inviter.displayname} invites you to {kinds[kind]}.
      </p>
      {description && <p>{description}</p>}
      {expiresAt && (
        <p>
          The invitation ends <Moment at={expiresAt} />.
        </p>
      )}
    </div>
  )
}

interface JoinedProps {
  target: { kind: string; name: string }
  joined: boolean
  awaitsConfirmation?: true | undefined
}

function Joined({ target, joined, awaitsConfirmation }: JoinedProps) {
  if (awaitsConfirmation)
    return (
      <Frame seed={target.name} title="An administrator confirms this first">
        <p role="status" className="mt-2 text-ink2">
          The invitation is for an e-mail address that is not yours here, or not verified. You need not do anything.
        </p>
      </Frame>
    )
  if (target.kind === 'invitation')
    return (
      <Frame seed={target.name} title={`Welcome to ${target.name}`}>
        <p role="status" className="mt-2 text-ink2">
          You have accepted the invitation.
        </p>
        <a className={`${buttonClass('primary')} mt-5`} href="/app/">
          Go to the start
        </a>
      </Frame>
    )
  return (
    <Frame seed={target.name} title={joined ? `You have joined ${target.name}` : `You are in ${target.name} already`}>
      <p role="status" className="mt-2 text-ink2">
        {joined ? 'It is among what is yours now.' : 'Nothing has changed, and the invitation is not used up by it.'}
      </p>
      <a
        className={`${buttonClass('primary')} mt-5`}
        href={`/app/account/${target.kind === 'org' ? 'orgs' : 'groups'}`}
      >
        {target.kind === 'org' ? 'Your organisations' : 'Your groups'}
      </a>
    </Frame>
  )
}

function Ended({ title, what, children }: { title: string; what: string; children: ReactNode }) {
  return (
    <Frame seed="no match" title={title}>
      <p role="alert" className="mt-2 text-ink2">
        {what}
      </p>
      {children}
    </Frame>
  )
}

const Others = () => (
  <a className={`${buttonClass()} mt-5`} href="/app/">
    Go to the start
  </a>
)
