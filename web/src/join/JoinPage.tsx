import { acceptJoinInvitation, getJoinInvitation, type JoinInvitation } from '@passport/contract/join'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { useSignInUrl } from '../app/sign-in-url.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { findFinalError } from './final-errors.ts'

/** The page of an invitation: its target and a join button. Anyone may view it; joining requires a sign-in. */
export function JoinPage() {
  const { joinId = '' } = useParams({ strict: false })
  const user = useCurrentUser()
  const signInUrl = useSignInUrl()
  const params = { id: joinId }
  const invitation = useQuery({ ...query(getJoinInvitation, { params }), retry: false, staleTime: 60_000 })
  const queryClient = useQueryClient()
  const accept = useMutation({
    mutationFn: () => call(acceptJoinInvitation, { params }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['current-user'] }),
  })

  // A page of the server asks for a password alone.
  const enrolUrl = user ? undefined : invitation.data?.enrolUrl
  useEffect(() => {
    if (enrolUrl) location.replace(enrolUrl)
  }, [enrolUrl])

  if (accept.data) return <JoinResult {...accept.data} />
  const finalError = findFinalError(accept.error) ?? findFinalError(invitation.error)
  if (finalError) return <InvitationError {...finalError}>{user && <HomeLink />}</InvitationError>
  if (invitation.error)
    return <ErrorCard failure={toFailure(invitation.error)} onRetry={() => void invitation.refetch()} />
  if (!invitation.data || enrolUrl)
    return (
      <div className="mx-auto max-w-[460px] card pt-5 sm:mt-6">
        <Skeleton label="Loading the invitation" rows={5} />
      </div>
    )
  return (
    <JoinFrame seed={invitation.data.title} title={`You are invited to ${invitation.data.title}`}>
      <InvitationDetails {...invitation.data} />
      {accept.error && (
        <div className="mt-4">
          <ErrorCard failure={toFailure(accept.error)} />
        </div>
      )}
      {user ? (
        <>
          <Button
            variant="primary"
            className="mt-6 h-11 w-full"
            isBusy={accept.isPending}
            onClick={() => accept.mutate()}
          >
            Join {invitation.data.title}
          </Button>
          <p className="mt-3 text-[13px] text-ink3">
            You'll join as {user.claims.name ?? user.claims.email ?? 'yourself'}.
          </p>
        </>
      ) : (
        <a className={`${buttonClass('primary')} mt-6 h-11 w-full`} href={signInUrl}>
          Sign in to join
        </a>
      )}
    </JoinFrame>
  )
}

function JoinFrame({ seed, title, children }: { seed: string; title: string; children: ReactNode }) {
  return (
    <div className="mx-auto grid max-w-[460px] justify-items-center card px-6 py-9 text-center sm:mt-6">
      <Identicon seed={seed} size={88} isGold />
      <h1 className="mt-4 break-words">{title}</h1>
      {children}
    </div>
  )
}

/** Completes “Ada invites you to …”. */
const kindTexts = {
  org: 'this organisation',
  group: 'this group',
  space: 'this space',
  invitation: 'create an account',
}

function InvitationDetails({ kind, description, inviter, expiresAt }: JoinInvitation) {
  return (
    <div className="mt-2 grid gap-1 text-ink2">
      <p>
        {inviter.displayname} invites you to {kindTexts[kind]}.
      </p>
      {description && <p>{description}</p>}
      {expiresAt && (
        <p>
          The invitation expires <RelativeTime at={expiresAt} inSentence />.
        </p>
      )}
    </div>
  )
}

interface JoinResultProps {
  target: { kind: string; name: string }
  joined: boolean
  awaitsConfirmation?: true | undefined
}

function JoinResult({ target, joined, awaitsConfirmation }: JoinResultProps) {
  if (awaitsConfirmation)
    return (
      <JoinFrame seed={target.name} title="Waiting for confirmation">
        <p role="status" className="mt-2 text-ink2">
          The invitation was sent to a different or unverified email address, so an administrator has to confirm it. You
          don't need to do anything.
        </p>
      </JoinFrame>
    )
  if (target.kind === 'invitation')
    return (
      <JoinFrame seed={target.name} title={`Welcome to ${target.name}`}>
        <p role="status" className="mt-2 text-ink2">
          Invitation accepted.
        </p>
        <a className={`${buttonClass('primary')} mt-5`} href="/app/">
          Go to the home page
        </a>
      </JoinFrame>
    )
  return (
    <JoinFrame seed={target.name} title={joined ? `You joined ${target.name}` : `You're already in ${target.name}`}>
      <p role="status" className="mt-2 text-ink2">
        {joined ? 'You now have access.' : "Nothing changed, and the invitation wasn't used."}
      </p>
      <a
        className={`${buttonClass('primary')} mt-5`}
        href={`/app/account/${target.kind === 'org' ? 'orgs' : 'groups'}`}
      >
        {target.kind === 'org' ? 'Your organisations' : 'Your groups'}
      </a>
    </JoinFrame>
  )
}

function InvitationError({ title, detail, children }: { title: string; detail: string; children: ReactNode }) {
  return (
    <JoinFrame seed="no match" title={title}>
      <p role="alert" className="mt-2 text-ink2">
        {detail}
      </p>
      {children}
    </JoinFrame>
  )
}

const HomeLink = () => (
  <a className={`${buttonClass()} mt-5`} href="/app/">
    Go to the home page
  </a>
)
