import { findAccentError, toPicturePath } from '@passport/contract/brand-values'
import { mixSelection, type Theme } from '@passport/contract/contrast'
import { type CSSProperties, type ReactNode, useEffect, useState } from 'react'
import { Card } from '../ui/Card.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { readDefaultTokens } from './default-tokens.ts'

/** A brand as it would look if it were saved; empty fields have their default. */
export interface PreviewedBrand {
  name: string
  logo: string
  favicon: string
  accent: Record<Theme, string>
  supportUrl: string
}

const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
const places = [
  { value: 'sign-in', label: 'Sign-in' },
  { value: 'home', label: 'Home' },
  { value: 'mail', label: 'Email' },
] as const
type Place = (typeof places)[number]['value']

/** The sign-in page, the home page and an email with a brand, in both themes, while it is edited. */
export function BrandPreview({ brand }: { brand: PreviewedBrand }) {
  const [theme, setTheme] = useState<Theme>(() =>
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  )
  const [place, setPlace] = useState<Place>('sign-in')
  const Preview = { 'sign-in': SignInPreview, home: HomePreview, mail: MailPreview }[place]
  return (
    <div className="min-[1100px]:sticky min-[1100px]:top-[68px]">
      <Card title="Preview" action={<Segmented label="Theme" value={theme} options={themes} onChange={setTheme} />}>
        <div className="px-4 pb-[18px] sm:px-[18px]">
          <div className="mb-3 flex">
            <Segmented label="Page" value={place} options={places} onChange={setPlace} />
          </div>
          <div
            role="img"
            aria-label={`${places.find(({ value }) => value === place)?.label} of ${brand.name} in the ${theme} theme`}
            data-theme={theme}
            style={toStyle(brand, theme)}
            className="min-h-[448px] overflow-hidden rounded-box border border-line bg-paper text-ink"
          >
            <BrowserTab brand={brand} />
            <Preview brand={brand} />
          </div>
        </div>
      </Card>
    </div>
  )
}

/** The colours of a brand. A colour that cannot be saved is not shown. */
function toStyle({ accent }: PreviewedBrand, theme: Theme): CSSProperties {
  const colour = accent[theme]
  if (colour === '' || findAccentError(colour, theme)) return readDefaultTokens() as CSSProperties
  const names = ['--stamp', '--act', '--foil', '--foil-text']
  return {
    ...Object.fromEntries(names.map((name) => [name, colour])),
    '--selection': mixSelection(colour.toLowerCase(), theme),
  } as CSSProperties
}

function Logo({ brand, size, wide = size * 5 }: { brand: PreviewedBrand; size: number; wide?: number }) {
  if (!brand.logo) return <Identicon seed="stage" size={size} isGold />
  return (
    <img
      src={toPicturePath(brand.logo)}
      alt=""
      className="object-contain"
      style={{ maxHeight: size, maxWidth: `min(${wide}px, 100%)` }}
    />
  )
}

/** The logo and the name; a wide logo has the name in it. */
function Heading({ brand, size }: { brand: PreviewedBrand; size: number }) {
  const isWordmark = useIsWordmark(brand.logo)
  return (
    <>
      <Logo brand={brand} size={size} />
      {!isWordmark && <span className="min-w-0 truncate">{brand.name}</span>}
    </>
  )
}

function useIsWordmark(hash: string): boolean {
  const [isWordmark, setWordmark] = useState(false)
  useEffect(() => {
    setWordmark(false)
    if (hash === '') return
    const image = new Image()
    image.onload = () => setWordmark(image.naturalWidth >= 2 * image.naturalHeight)
    image.src = toPicturePath(hash)
  }, [hash])
  return isWordmark
}

function BrowserTab({ brand }: { brand: PreviewedBrand }) {
  return (
    <div className="flex items-center bg-well px-2 pt-2">
      <span className="flex min-w-0 max-w-[220px] items-center gap-2 rounded-t-[8px] border border-b-0 border-line bg-paper px-3 py-1.5 text-[12px]">
        <img
          src={brand.favicon ? toPicturePath(brand.favicon) : '/app/seal.svg'}
          alt=""
          className="size-4 flex-none object-contain"
        />
        <span className="truncate">{brand.name}</span>
      </span>
    </div>
  )
}

const Bar = ({ className = '' }: { className?: string }) => (
  <span className={`block rounded-full bg-line ${className}`} />
)
const MainButton = ({ children }: { children: ReactNode }) => (
  <span className="block rounded-ctl bg-act px-4 py-2 text-center text-[13px] font-[560] text-on-act">{children}</span>
)

function SignInPreview({ brand }: { brand: PreviewedBrand }) {
  return (
    <div className="px-4 pt-3 pb-7">
      <p className="mb-5 flex min-w-0 items-center gap-2 text-[13px] font-[640]">
        <Heading brand={brand} size={22} />
      </p>
      <div className="mx-auto grid max-w-[290px] gap-3 rounded-[14px] border border-line bg-card p-6 shadow-pop">
        <div className="grid justify-items-center gap-2 text-center">
          <Logo brand={brand} size={48} wide={220} />
          <p className="text-[18px] leading-tight font-[640] text-balance [overflow-wrap:anywhere]">
            Sign in to {brand.name}
          </p>
        </div>
        {['Username or email', 'Password'].map((label) => (
          <div key={label}>
            <p className="mb-1 text-[12px] font-[560]">{label}</p>
            <span className="block h-8 rounded-ctl border border-edge bg-card" />
          </div>
        ))}
        <MainButton>Sign in</MainButton>
        <p className="text-center text-[12px]">
          <span className="text-stamp underline">Terms</span>
          {brand.supportUrl && <span className="ml-4 text-stamp underline">Support</span>}
        </p>
      </div>
    </div>
  )
}

function HomePreview({ brand }: { brand: PreviewedBrand }) {
  return (
    <>
      <p className="flex items-center gap-2 border-b border-line px-4 py-2.5 text-[13px] font-[640]">
        <Heading brand={brand} size={22} />
        <span className="ml-auto size-6 flex-none rounded-full bg-selection" />
      </p>
      <div className="grid gap-4 p-4">
        <div className="flex items-center gap-4 rounded-box border border-line bg-card p-4">
          <span className="grid size-12 flex-none place-items-center rounded-full bg-selection font-[620] text-stamp">
            AL
          </span>
          <span className="grid min-w-0 flex-1 gap-2">
            <b className="text-[15px]">Ada Lovelace</b>
            <Bar className="h-2 w-2/3" />
          </span>
        </div>
        <p className="flex gap-4 border-b border-line text-[13px]">
          <span className="border-b-2 border-foil pb-1.5 font-[600]">Overview</span>
          <span className="text-ink2">Activity</span>
        </p>
        <div className="grid gap-3 rounded-box border border-line bg-card p-4 text-[13px]">
          {['Sign-in methods', 'Groups', 'Organisations'].map((label) => (
            <span
              key={label}
              className="flex items-center justify-between border-t border-hair pt-3 first:border-0 first:pt-0"
            >
              <span className="text-stamp">{label}</span>
              <Bar className="h-2 w-16" />
            </span>
          ))}
          <MainButton>Create group</MainButton>
        </div>
      </div>
    </>
  )
}

/** Emails have no style sheet: mail programs show them on their own background. */
function MailPreview({ brand }: { brand: PreviewedBrand }) {
  const isSet = brand.accent.light !== '' && !findAccentError(brand.accent.light, 'light')
  return (
    <div className="grid gap-4 p-5 text-[13px]">
      <p className="border-b border-line pb-3 text-ink2">
        <b className="block text-[14px] text-ink">New sign-in to your {brand.name} account</b>
        {brand.name}
      </p>
      <p className="flex items-center gap-3 font-[600]">
        {brand.logo ? <Heading brand={brand} size={40} /> : brand.name}
      </p>
      <p>Hello Ada,</p>
      <p>Someone signed in to your {brand.name} account on a new device.</p>
      <p>
        <span
          className="inline-block rounded-ctl px-4 py-2 font-[560] text-white"
          style={{ background: isSet ? brand.accent.light : '#1d2233' }}
        >
          See your activity
        </span>
      </p>
      <p className="text-[12px] text-ink3">This is a notice about the security of your account.</p>
    </div>
  )
}
