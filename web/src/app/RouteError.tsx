import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Sheet } from '../ui/Sheet.tsx'

/** A page that failed to render: the error, a reload and a link home. */
export function RouteError({ error }: ErrorComponentProps) {
  return (
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
