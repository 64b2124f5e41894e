import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/Button.tsx'
import { Seal } from '../ui/Seal.tsx'

/** A page that could not be shown: what was thrown, and a way out. */
export function RouteError({ error }: ErrorComponentProps) {
  return (
    <div className="mx-auto grid max-w-md justify-items-center gap-4 py-16 text-center">
      <Seal seed="error" size={88} isFoil />
      <h1 className="text-[15px] tracking-normal">
        <span role="alert" className="font-[560]">
          {error instanceof Error ? error.message : 'Something went wrong here.'}
        </span>
      </h1>
      <Link to="/" className={buttonClass('primary')}>
        Go to home
      </Link>
    </div>
  )
}
