import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Sheet } from '../ui/Sheet.tsx'
import { currentUserQuery } from './current-user.ts'
import { UserUnknown } from './guard.ts'
import { usePollState } from './page-user.ts'
import { queryClient } from './query-client.ts'

/** A page that failed to render: the error, a reload and a link home. */
export function RouteError({ error }: ErrorComponentProps) {
  return error instanceof UserUnknown ? (
    <Outage />
  ) : (
    <Sheet seed="error" title="Something went wrong">
      <p role="alert" className="max-w-full text-ink2 break-words">
        {error instanceof Error ? error.message : 'Reload the page.'}
      </p>
      <Button variant="primary" className="mt-6 h-11 w-full" onClick={() => location.reload()}>
        Reload the page
      </Button>
      <Link to="/" className={`${buttonClass()} mt-2 h-11 w-full`}>
        Go to the home page
      </Link>
    </Sheet>
  )
}

/** The page of an outage, in the words of the server's own. Opens the requested page when the server answers. */
function Outage() {
  const router = useRouter()
  const { failures, reason = 'Passport is not answering.' } = usePollState()
  useEffect(() => {
    // The poll has the user only when it ends.
    if (failures === 0) void queryClient.fetchQuery(currentUserQuery).then(() => router.invalidate())
  }, [router, failures])
  return (
    <Sheet seed="error" title="Not available at the moment">
      <p className="text-balance text-ink2">{reason}</p>
      <Button variant="primary" className="mt-6 h-11 w-full" onClick={() => location.reload()}>
        Try again
      </Button>
      <Link to="/" className={`${buttonClass()} mt-2 h-11 w-full`}>
        Go to the home page
      </Link>
    </Sheet>
  )
}
