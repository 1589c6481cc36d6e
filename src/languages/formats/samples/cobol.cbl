       IDENTIFICATION DIVISION.
       PROGRAM-ID. SHOP-TOTAL.
       AUTHOR. SOMEONE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ORDER.
           05  WS-ID       PIC 9(8).
           05  FILLER      PIC X(2).
      * HIDDEN-PARAGRAPH.
       PROCEDURE DIVISION.
       MAIN-PARA.
           PERFORM 1000-ADD THRU 1000-EXIT
           GOBACK.
       1000-ADD.
           ADD 1 TO WS-ID.
       1000-EXIT.
           EXIT.
       REPORTING SECTION.
       2000-PRINT.
           DISPLAY WS-ID
       .
       2000-EXIT.
           GOBACK.
