// Field for a key or a passphrase: hidden, with a button to show it.
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton, TextField } from './controls.tsx';

export function SecretField(props: Omit<ComponentProps<typeof TextField>, 'type' | 'trailing'>) {
  const { t } = useTranslation('shell');
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      trailing={
        <IconButton
          size="sm"
          label={t(isShown ? 'typed.hide' : 'typed.show')}
          icon={isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}
