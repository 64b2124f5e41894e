const names = ['--stamp', '--act', '--foil', '--foil-text', '--selection'] as const

/** Returns the colours of the app without a saved accent: those of its own style sheets, not of the branding. */
export function readDefaultTokens(): Record<string, string> {
  const found: Record<string, string> = {}
  for (const sheet of document.styleSheets) {
    if (sheet.href?.includes('/passport/branding/')) continue
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSStyleRule && /(?:^|, ?):root(?:$|,)/.test(rule.selectorText))
        for (const name of names) {
          const value = rule.style.getPropertyValue(name)
          if (value && !found[name]) found[name] = value
        }
  }
  return found
}
