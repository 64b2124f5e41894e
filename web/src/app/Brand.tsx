import { Link } from '@tanstack/react-router'
import { Identicon } from '../ui/Identicon.tsx'
import { brandLogo, brandName } from './brand.ts'

/** A wide logo has the name in it. */
const hasName = brandLogo !== undefined && brandLogo.width >= 2 * brandLogo.height

/** The brand, with a link to the home page. `isNamed` shows its name on narrow screens too. */
export function Brand({ className = '', isNamed = false }: { className?: string; isNamed?: boolean }) {
  return (
    <Link to="/" className={`flex h-14 items-center gap-2.5 font-[640] tracking-[-.01em] ${className}`}>
      {brandLogo ? (
        <img src={brandLogo.url} alt="" width={brandLogo.width} height={brandLogo.height} />
      ) : (
        <Identicon seed="stage" size={26} isGold />
      )}
      <span className={hasName ? 'sr-only' : isNamed ? '' : 'max-sm:sr-only'}>{brandName}</span>
    </Link>
  )
}
