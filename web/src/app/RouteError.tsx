import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/Button.tsx'
import { Identicon } from '../ui/Identicon.tsx'

/** A page that failed to render: the error and a link home. */
export function RouteError({ error }: ErrorComponentProps) {
  return (
    <div className="mx-auto grid max-w-md justify-items-center gap-4 py-16 text-center">
      <Identicon seed="error" size={88} isGold />
      <h1>Something went wrong</h1>
      <p role="alert" className="text-ink2 break-words">
        {error instanceof Error ? error.message : 'Reload the page.'}
      </p>
      <Link to="/" className={buttonClass('primary')}>
        Go to the home page
      </Link>
    </div>
  )
}
