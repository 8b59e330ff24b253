// Numbers as colours. Components 0 to 1 in sRGB.
#ifndef BASE_COLOUR_MAP_H
#define BASE_COLOUR_MAP_H

// 0 is dark blue, 1 is yellow. Lightness grows in
// even steps, so the order survives a weak projector, a grey print and colour blindness. Neither
// end is as dark or as light as a theme's backdrop. Below 0 as 0; above 1, and NaN, as 1.
void colour_map(float t, float rgb[3]);

// From -1, blue, over 0, grey, to 1, orange.
void colour_map_signed(float t, float rgb[3]);

#endif
