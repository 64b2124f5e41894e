import { createEnrolmentLink, type EnrolmentObstacle, getEnrolment } from '@passport/contract/enrolment'
import type { User } from '@passport/contract/users'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { LinkDialog } from '../directory/LinkDialog.tsx'
import { nameOf } from '../directory/user-names.ts'
import { Button } from '../ui/Button.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** Why a user gets no link, and what leads on. */
const obstacleTexts: Record<EnrolmentObstacle, string> = {
  'directory-off': 'The user can sign in with an identity provider after accepting an invitation.',
  'enrolment-has-sign-in': 'The account had a sign-in method, or a provisioning client manages it.',
  'enrolment-disabled': 'Enable the user first.',
  'enrolment-name-required': 'Give the user a username first, with which nobody else signs in.',
}

/** Creates the enrolment link of a user without a sign-in method, and shows it once. */
export function EnrolmentLink({ user }: { user: User }) {
  const params = { userId: user.id }
  const enrolment = useQuery(query(getEnrolment, { params }))
  const [created, setCreated] = useState<{ name: string; link: string }>()
  const create = useMutation({
    mutationFn: () => call(createEnrolmentLink, { params }),
    onSuccess: ({ url }) => setCreated({ name: nameOf(user), link: url }),
    onError: (error) => reportFailure('create the enrolment link', error),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [getEnrolment.path] }),
  })
  // The height of the text and the button, which would move the cards below.
  return (
    <div className="grid min-h-[92px] content-start justify-items-start gap-3 px-4 pb-4 sm:px-[18px]">
      {enrolment.error && <p className="text-ink2">{toFailure(enrolment.error).detail}</p>}
      {enrolment.data && (
        <>
          <p className="text-ink2">{describe(enrolment.data)}</p>
          {enrolment.data.obstacle === null && (
            <Button isBusy={create.isPending} onClick={() => create.mutate()}>
              {enrolment.data.link ? 'New enrolment link' : 'Enrolment link'}
            </Button>
          )}
        </>
      )}
      <LinkDialog created={created} onClose={() => setCreated(undefined)} />
    </div>
  )
}

function describe({
  obstacle,
  link,
}: {
  obstacle: EnrolmentObstacle | null
  link: { expiresAt: string; openedAt: string | null } | null
}) {
  if (obstacle) return obstacleTexts[obstacle]
  if (!link) return 'The user has no way in. Hand over a link by which they set a password.'
  return (
    <>
      A link {link.openedAt ? 'was opened in a browser' : 'waits to be opened'}, and expires{' '}
      <RelativeTime at={link.expiresAt} inSentence />. A new one replaces it.
    </>
  )
}
